import type { ComponentChildren } from "preact";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/client.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { ListCell } from "../lists/list_columns.tsx";
import { findListKindByName, getColumnLabel } from "../lists/list_kinds.ts";
import { formatSearchWords } from "../named_refs.ts";
import { ReadingsCard } from "../readings/measured.tsx";
import { findRefUrl, formatPageUrl, type PageAddress } from "../router.ts";
import type { BreadcrumbStep } from "../ui/page.tsx";
import { Card, EmptyText, FactList } from "../ui/parts.tsx";
import { type PictureRequest, PictureView } from "../ui/picture.tsx";
import { ElementPage } from "./element_parts.tsx";
import { ElementChanges, LocationChanges } from "./entries.tsx";
import { OBJECT_KINDS, type ObjectKind } from "./object_kinds.tsx";
import { HeadroomView } from "./thermal.tsx";

export function ObjectPage({ place }: { readonly place: PageAddress }) {
  const object = Object.entries(OBJECT_KINDS).find(([page]) => page === place.page)?.[1];
  const ref = `${place.page}:${place.subject}`;
  const asked = useCall(
    LIST_INVENTORY_RPC,
    object === undefined
      ? undefined
      : { kind: `INVENTORY_KIND_${object.kind}`, query: formatSearchWords(place.subject), page_size: 100 },
  );
  if (object === undefined) return null;
  const row = asked.reply?.rows.find((one) => one.ref.toLowerCase() === ref.toLowerCase());
  const createTabRenderer = (content: (row: InventoryRow) => ComponentChildren) => () =>
    row === undefined ? <MissingElement subject={place.subject} target={ref} /> : content(row);
  const { createPictureRequest } = object;
  return (
    <ElementPage
      place={place}
      asked={asked}
      kind={object.singular}
      trail={createObjectTrail(object, row)}
      state={row === undefined ? null : <ObjectState row={row} />}
      sentence={row === undefined ? undefined : object.renderSentence?.(row)}
      actions={row === undefined ? null : object.renderActions(row)}
      tabs={[
        {
          key: "",
          name: "Overview",
          content: createTabRenderer((one) => (
            <ElementData object={object} row={one} columns={asked.reply?.columns ?? []} />
          )),
        },
        ...(object.isLocation
          ? [
              {
                key: "cooling",
                name: "Cooling",
                content: createTabRenderer((one) => <LocationCooling scope={one.ref} />),
              },
            ]
          : []),
        ...(createPictureRequest === undefined
          ? []
          : [
              {
                key: "picture",
                name: "Picture",
                content: createTabRenderer((one: InventoryRow) => (
                  <ObjectPicture question={createPictureRequest(one)} row={one} />
                )),
              },
            ]),
        {
          key: "history",
          name: "Changes",
          content: createTabRenderer((one) =>
            object.isLocation ? (
              <LocationChanges row={one} />
            ) : (
              <ElementChanges entity={object.getChangeLogRef?.(one) ?? one.ref} />
            ),
          ),
        },
      ]}
    />
  );
}

/** Matches references of kinds with meters, except devices and racks. */
const METERED_REF_PATTERN = /^(?:crac|feed|port):/;

function MissingElement({ subject, target }: { readonly subject: string; readonly target: string }) {
  return (
    <EmptyText>
      Nothing is named “{subject}”. It may have been renamed or deleted: look among{" "}
      <a href={formatPageUrl("history", target)}>its changes</a>.
    </EmptyText>
  );
}

/** Columns that contain an element's state. */
const STATE_COLUMNS = ["health", "status", "power", "traffic"] as const;

function ObjectState({ row }: { readonly row: InventoryRow }) {
  const column = STATE_COLUMNS.find((one) => row.texts[one] !== undefined);
  return column === undefined ? null : <ListCell row={row} column={column} />;
}

function ElementData({ object, row, columns }: { object: ObjectKind; row: InventoryRow; columns: readonly string[] }) {
  const all = [...columns, ...Object.keys(row.texts).filter((column) => !columns.includes(column))];
  return (
    <div class="cards">
      <div>
        <Card title="Facts">
          <FactList
            rows={all
              .filter((column) => column in row.texts || column in row.figures)
              .map((column) => [getColumnLabel(column), <ListCell key={column} row={row} column={column} />] as const)}
          />
        </Card>
        <Card title="Related">
          <ul class="inline">
            {object.listRelatedLinks(row).map(([name, page, settings]) => (
              <li key={name}>
                <a href={formatPageUrl(page, "", settings)}>{name}</a>
              </li>
            ))}
          </ul>
        </Card>
      </div>
      {object.renderDetails?.(row)}
      {METERED_REF_PATTERN.test(row.ref) ? <ReadingsCard target={row.ref} /> : null}
    </div>
  );
}

/** Cooling of a location. A click on a unit opens the cooling page with the unit failed. */
function LocationCooling({ scope }: { readonly scope: string }) {
  const request = { scope_ref: scope, render: useRenderOptions() };
  return (
    <HeadroomView
      request={request}
      fail={(code) => location.assign(formatPageUrl("thermal", scope, { failed: code }))}
    />
  );
}

function ObjectPicture({ question, row }: { readonly question: PictureRequest; readonly row: InventoryRow }) {
  const request = { ...question.request, render: useRenderOptions() };
  const { reply } = useCall(question.rpc, request);
  const asked = { rpc: question.rpc, request };
  // The page's text also has the figures of a cable path, but not those of a failure or a zone.
  return (
    <PictureView
      label={row.name}
      render={reply?.render}
      question={asked}
      omitsHeading={question.rpc === "TraceCablePath"}
    />
  );
}

function createObjectTrail({ kind }: ObjectKind, row: InventoryRow | undefined): readonly BreadcrumbStep[] {
  const list = findListKindByName(kind);
  const first: readonly BreadcrumbStep[] =
    list === undefined ? [] : [{ name: list.title, href: formatPageUrl(list.page) }];
  const { site, floor, room, device } = row?.texts ?? {};
  const places: BreadcrumbStep[] = [];
  if (site !== undefined) places.push({ name: site, href: findRefUrl(`site:${site}`) });
  if (site !== undefined && floor !== undefined)
    places.push({ name: `Floor ${floor}`, href: findRefUrl(`floor:${site}/${floor}`) });
  if (room !== undefined) places.push({ name: room, href: findRefUrl(`room:${site}/${floor}/${room}`) });
  if (device !== undefined) places.push({ name: device, href: formatPageUrl("device", device) });
  return [...first, ...places];
}
