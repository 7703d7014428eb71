import type { ComponentChildren } from "preact";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { refName } from "#words/names.ts";
import { useRender } from "../../shared/use_theme.ts";
import { useCall } from "../api/use_call.ts";
import type { Values } from "../edit/form_model.ts";
import { Cell } from "../lists/cell.tsx";
import { columnName } from "../lists/column_words.ts";
import { LIST_RPC } from "../lists/inventory_rows.ts";
import { listOfKind } from "../lists/list_kinds.ts";
import { linkTo, linkToRef, type OBJECT_PAGES, type Place } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import type { Question } from "../ui/download.tsx";
import { PageHead } from "../ui/page.tsx";
import { Card, Empty, Facts } from "../ui/parts.tsx";
import { Picture } from "../ui/picture.tsx";
import type { Crumb } from "../ui/trail.ts";
import { CapacityLeft } from "./capacity_left.tsx";
import { ChangesOf, PlaceChanges } from "./latest_changes.tsx";
import { PortPowerCard } from "./port_power.tsx";
import { ThingActions } from "./thing_actions.tsx";
import { TypePorts } from "./type_ports.tsx";

/** A kind of object whose page shows the data of its list row. */
interface ObjectKind {
  /** The value of InventoryKind without its prefix. */
  readonly kind: string;
  readonly one: string;
  /** What the thing can be asked, beside its history. */
  readonly actions: (row: InventoryRow) => ComponentChildren;
  /** The question whose answer has its picture. */
  readonly picture?: (row: InventoryRow) => Question;
  /** Whether it is made of the locations of other things, and changes with them alone. */
  readonly isPlace?: true;
  /** Reference under which the change log has its changes; its own if absent. */
  readonly changed?: (row: InventoryRow) => string;
  /** Renders data that its list does not have. */
  readonly details?: (row: InventoryRow) => ComponentChildren;
  /** Lists of what belongs to it: their names, pages and conditions. */
  readonly related: (row: InventoryRow) => readonly Related[];
}

type Related = readonly [name: string, page: string, settings: Readonly<Record<string, string>>];

const link = (text: string, href: string) => (
  <a class="button" href={href}>
    {text}
  </a>
);

/** The racks, devices, cooling units and supplies that match the same conditions. */
function contents(settings: Readonly<Record<string, string>>, hasRow: boolean): readonly Related[] {
  const all: readonly Related[] = [
    ["Racks", "racks", settings],
    ["Devices", "devices", settings],
    ["Cooling units", "cooling", settings],
  ];
  return hasRow ? all : [...all, ["Feeds and sources", "supplies", settings]];
}

const cooling = ({ ref }: InventoryRow) => (
  <>
    {link("Cooling", linkTo("thermal", ref))}
    <ThingActions target={ref}>{link("Fabric", linkTo("fabric", "", { scope: ref }))}</ThingActions>
  </>
);

const coolingPicture = ({ ref }: InventoryRow): Question => ({ rpc: "ThermalHeadroom", request: { scope_ref: ref } });
const pathPicture = (port: string): Question => ({ rpc: "TraceCablePath", request: { port_ref: port } });

/** The change log has a feed under the device that declares it. */
const feedChanges = ({ ref, texts: { source = "" } }: InventoryRow) =>
  source === "" ? ref : `device:${source.split("/")[0]}`;

const KINDS: Readonly<Record<(typeof OBJECT_PAGES)[number], ObjectKind>> = {
  site: {
    kind: "SITE",
    one: "Site",
    isPlace: true,
    actions: cooling,
    details: ({ ref }) => <CapacityLeft scope={ref} />,
    picture: coolingPicture,
    related: ({ name }) => [
      ["Floors", "floors", { site: name }],
      ["Rooms", "rooms", { site: name }],
      ...contents({ site: name }, false),
    ],
  },
  room: {
    kind: "ROOM",
    one: "Room",
    isPlace: true,
    actions: cooling,
    details: ({ ref }) => <CapacityLeft scope={ref} />,
    picture: coolingPicture,
    related: (row) => contents(placeOf(row, "room"), false),
  },
  row: {
    kind: "ROW",
    one: "Row",
    isPlace: true,
    actions: cooling,
    details: ({ ref }) => <CapacityLeft scope={ref} />,
    picture: coolingPicture,
    related: (row) => contents(placeOf(row, "row"), true),
  },
  crac: {
    kind: "CRAC",
    one: "Cooling unit",
    picture: ({ texts }) => ({
      rpc: "ThermalHeadroom",
      request: { scope_ref: (texts["serves"] ?? "").split(", ")[0] ?? "" },
    }),
    actions: ({ ref, name }) => (
      <ThingActions target={ref} edit={{ kind: "crac", identity: { code: name } }} history={ref} />
    ),
    related: ({ texts }) =>
      (texts["serves"] ?? "")
        .split(", ")
        .filter((ref) => ref !== "")
        .map((ref): Related => [`Cooling of ${refName(ref)}`, `thermal/${encodeURIComponent(ref)}`, {}]),
  },
  feed: {
    kind: "SUPPLY",
    one: "Feed",
    changed: feedChanges,
    picture: ({ ref }) => ({ rpc: "PowerBlastRadius", request: { source_ref: ref } }),
    actions: (row) => <ThingActions target={row.ref} history={feedChanges(row)} />,
    related: ({ ref }) => [["Devices that it feeds", "devices", { fed_by: ref }]],
  },
  cable: {
    kind: "CABLE",
    one: "Cable",
    picture: ({ texts }) => pathPicture(`port:${texts["a_device"]}/${texts["a_port"]}`),
    actions: ({ ref, texts }) => (
      <>
        {link("Where does it end", linkTo("trace", `port:${texts["a_device"]}/${texts["a_port"]}`))}
        <ThingActions target={ref} fails={false} edit={{ kind: "cable", identity: ends(texts) }} history={ref} />
      </>
    ),
    related: ({ texts }) => [
      [`Ports of ${texts["a_device"]}`, "ports", { device: texts["a_device"] ?? "" }],
      [`Ports of ${texts["b_device"]}`, "ports", { device: texts["b_device"] ?? "" }],
    ],
  },
  fabric_link: {
    kind: "FABRIC_LINK",
    one: "Fabric link",
    actions: ({ ref, texts }) => (
      <>
        {link("Fabric", linkTo("fabric", texts["fabric"] ?? ""))}
        <ThingActions target={ref} fails={false} edit={{ kind: "fabric_link", identity: ends(texts) }} history={ref} />
      </>
    ),
    related: ({ texts }) => [
      [`Links of ${texts["a_device"]}`, "links", { a_device: texts["a_device"] ?? "" }],
      [`Links of ${texts["b_device"]}`, "links", { b_device: texts["b_device"] ?? "" }],
    ],
  },
  port: {
    kind: "PORT",
    one: "Port",
    picture: ({ ref }) => pathPicture(ref),
    details: ({ ref }) => <PortPowerCard port={ref} />,
    actions: ({ ref }) => (
      <>
        {link("Where does it lead", linkTo("trace", ref))}
        <ThingActions target={ref} fails={false} history={ref} />
      </>
    ),
    related: ({ texts }) => [[`Ports of ${texts["device"]}`, "ports", { device: texts["device"] ?? "" }]],
  },
  device_type: {
    kind: "DEVICE_TYPE",
    one: "Device type",
    actions: ({ ref, name }) => (
      <>
        {link("Where does it fit?", linkTo("placement", "", { type: name }))}
        <ThingActions edit={{ kind: "device_type", identity: { code: name } }} history={ref} />
      </>
    ),
    details: ({ name }) => <TypePorts code={name} />,
    related: ({ texts: { manufacturer = "", model = "" } }) => [
      ["Devices of this type", "devices", { manufacturer, model }],
    ],
  },
};

export function ObjectPage({ place }: { readonly place: Place }) {
  const object = Object.entries(KINDS).find(([page]) => page === place.page)?.[1];
  const ref = `${place.page}:${place.subject}`;
  const asked = useCall(
    LIST_RPC,
    object === undefined
      ? undefined
      : { kind: `INVENTORY_KIND_${object.kind}`, query: wordsOf(place.subject), page_size: 100 },
  );
  if (object === undefined) return null;
  const isIt = (row: InventoryRow) => row.ref.toLowerCase() === ref.toLowerCase();
  const row = asked.reply?.rows.find(isIt);
  return (
    <>
      <PageHead
        kind={object.one}
        title={place.subject}
        trail={trailOf(object, row)}
        action={row === undefined ? null : object.actions(row)}
      />
      <Answer asked={asked}>
        {() =>
          row === undefined ? (
            <Empty>
              Nothing is named “{place.subject}”. It may have been renamed or deleted: look among{" "}
              <a href={linkTo("history", ref)}>its changes</a>.
            </Empty>
          ) : (
            <Shown object={object} row={row} columns={asked.reply?.columns ?? []} />
          )
        }
      </Answer>
    </>
  );
}

function Shown({ object, row, columns }: { object: ObjectKind; row: InventoryRow; columns: readonly string[] }) {
  const all = [...columns, ...Object.keys(row.texts).filter((column) => !columns.includes(column))];
  return (
    <>
      <div class="columns even">
        <Card title="Facts">
          <Facts
            rows={all
              .filter((column) => column in row.texts || column in row.figures)
              .map((column) => [columnName(column), <Cell key={column} row={row} column={column} />] as const)}
          />
        </Card>
        <Card title="Related">
          <ul class="plain-list">
            {object.related(row).map(([name, page, settings]) => (
              <li key={name}>
                <a href={linkTo(page, "", settings)}>{name}</a>
              </li>
            ))}
          </ul>
        </Card>
      </div>
      {object.details?.(row)}
      {object.picture === undefined ? null : <ObjectPicture question={object.picture(row)} row={row} />}
      {object.isPlace === true ? <PlaceChanges row={row} /> : <ChangesOf entity={object.changed?.(row) ?? row.ref} />}
    </>
  );
}

function ObjectPicture({ question, row }: { readonly question: Question; readonly row: InventoryRow }) {
  const request = { ...question.request, render: useRender() };
  const { reply } = useCall(question.rpc, request);
  return <Picture label={row.name} render={reply?.render} question={{ rpc: question.rpc, request }} />;
}

/** Words that the row surely has: without the marks between the parts of a reference. */
function wordsOf(subject: string): string {
  return subject.replaceAll(/[~/]/g, " ");
}

function trailOf({ kind }: ObjectKind, row: InventoryRow | undefined): readonly Crumb[] {
  const list = listOfKind(kind);
  const first: readonly Crumb[] = list === undefined ? [] : [{ name: list.title, href: linkTo(list.page) }];
  const { site, floor, room, device } = row?.texts ?? {};
  const places: Crumb[] = [];
  if (site !== undefined) places.push({ name: site, href: linkToRef(`site:${site}`) });
  if (site !== undefined && floor !== undefined)
    places.push({ name: `Floor ${floor}`, href: linkToRef(`floor:${site}/${floor}`) });
  if (room !== undefined) places.push({ name: room, href: linkToRef(`room:${site}/${floor}/${room}`) });
  if (device !== undefined) places.push({ name: device, href: linkTo("device", device) });
  return [...first, ...places];
}

function placeOf({ texts, name }: InventoryRow, kind: "room" | "row"): Readonly<Record<string, string>> {
  return { site: texts["site"] ?? "", floor: texts["floor"] ?? "", [kind]: name.slice(name.lastIndexOf("/") + 1) };
}

function ends(texts: Readonly<Record<string, string>>): Values {
  const end = (side: "a" | "b") => ({
    device_code: texts[`${side}_device`] ?? "",
    port_name: texts[`${side}_port`] ?? "",
  });
  return { a: end("a"), b: end("b") };
}
