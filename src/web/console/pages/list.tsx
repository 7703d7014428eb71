import { useEffect, useState } from "preact/hooks";
import type { InventoryRow, ListInventoryResponse } from "#gen/datacenter/v1/json.ts";
import { formatCount } from "#words/figures.ts";
import { Icon } from "../../shared/marks.tsx";
import { convertToCallError, useCall } from "../api/client.ts";
import { EditButton, useCanWrite } from "../edit/changes_panel.tsx";
import type { EditableKind } from "../edit/form_model.ts";
import {
  createListRequest,
  getPageNumber,
  LIST_INVENTORY_RPC,
  LIST_PAGE_SIZE,
  listConditions,
  listShownColumns,
} from "../lists/inventory_rows.ts";
import { ColumnsChoice, ListCell, readStoredColumns } from "../lists/list_columns.tsx";
import { ListFilters, ListPager, SavedFilters } from "../lists/list_filters.tsx";
import {
  findListKindByPage,
  getColumnLabel,
  isFigureColumn,
  type ListKind,
  listAllColumns,
} from "../lists/list_kinds.ts";
import {
  createCheckboxColumn,
  formatRowsAsCsv,
  formatRowsAsJson,
  loadAllRows,
  SelectionBar,
  useRowSelection,
} from "../lists/selection.tsx";
import { changeSettings, formatPageUrl, type PageAddress } from "../router.ts";
import { TextField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { type Column, EmptyText, Notice, RefLink, Table } from "../ui/parts.tsx";
import { saveFile } from "../ui/picture.tsx";

/** Kinds that a writer can edit in bulk, by the kind of the list. */
const BULK_EDITABLE_KINDS: Readonly<Record<string, EditableKind>> = { RACK: "rack", DEVICE: "device", CRAC: "crac" };

/** Kinds that a writer can create, by the kind of the list. */
const CREATABLE_KINDS: Readonly<Record<string, EditableKind>> = {
  ...BULK_EDITABLE_KINDS,
  CABLE: "cable",
  FABRIC_LINK: "fabric_link",
  DEVICE_TYPE: "device_type",
};

/** Page with the list of one kind of element. The URL contains every choice. */
export function ListPage({ place }: { readonly place: PageAddress }) {
  const list = findListKindByPage(place.page);
  return list === undefined ? null : <ListView key={list.page} list={list} place={place} />;
}

function ListView({ list, place }: { readonly list: ListKind; readonly place: PageAddress }) {
  const page = getPageNumber(place);
  const { request, asked, leftOut } = useListRows(list, place, page);
  const known = listAllColumns(list.page);
  useStoredColumns(list, place);
  const shown = listShownColumns(list, place);
  const created = CREATABLE_KINDS[list.kind];
  return (
    <>
      <PageHead
        title={list.title}
        kind={asked.reply === undefined ? undefined : `${formatCount(asked.reply.total_count)} found`}
        action={
          <>
            <ExportButtons list={list} request={request} columns={shown} />
            {created === undefined ? null : <CreateButton kind={created} one={list.singular} />}
          </>
        }
      />
      <div class="filters list-filters">
        <TextField label="Text" value={place.settings.get("q") ?? ""} change={(q) => changeSettings({ q, page: "" })} />
        <ListFilters list={list} place={place} columns={known} />
        <SavedFilters list={list} place={place} />
        <ColumnsChoice list={list} shown={shown} />
      </div>
      {leftOut === undefined ? null : <Notice>{leftOut.message}. The condition is left out.</Notice>}
      <ReplyView asked={asked} shape="rows">
        {(reply) => <ListRows {...{ list, place, reply, request, page }} columns={shown} />}
      </ReplyView>
    </>
  );
}

/** Adds the columns that this browser stores to a URL without columns, so that the URL can be shared. */
function useStoredColumns(list: ListKind, { settings }: PageAddress): void {
  const kept = settings.has("columns") ? undefined : readStoredColumns(list)?.join("|");
  const whole = kept && formatPageUrl(list.page, "", { ...Object.fromEntries(settings), columns: kept });
  useEffect(() => {
    if (whole !== undefined) location.replace(whole);
  }, [whole]);
}

/** Loads a page of a list. If the service refuses a condition, repeats the request without that condition. */
function useListRows(list: ListKind, place: PageAddress, page: number) {
  const whole = createListRequest(list, place);
  const paged = { page_size: LIST_PAGE_SIZE, skip: (page - 1) * LIST_PAGE_SIZE };
  const first = useCall(LIST_INVENTORY_RPC, { ...whole, ...paged });
  const [, refused] = /^conditions\[(\d+)\]/.exec(first.error?.violations[0]?.field ?? "") ?? [];
  const conditions = (whole.conditions ?? []).filter((_, at) => refused !== String(at));
  const less = refused === undefined ? undefined : { ...whole, conditions };
  const second = useCall(LIST_INVENTORY_RPC, less && { ...less, ...paged });
  return less === undefined
    ? { request: whole, asked: first, leftOut: undefined }
    : { request: less, asked: second, leftOut: first.error };
}

function ListRows(props: {
  readonly list: ListKind;
  readonly place: PageAddress;
  readonly reply: ListInventoryResponse;
  readonly request: ReturnType<typeof createListRequest>;
  readonly columns: readonly string[];
  readonly page: number;
}) {
  const { list, place, reply, request, columns, page } = props;
  const selection = useRowSelection(JSON.stringify([request.query, request.conditions]));
  const isWriter = useCanWrite();
  const kind = BULK_EDITABLE_KINDS[list.kind];
  const writes = isWriter ? kind : undefined;
  if (reply.total_count === 0) return <EmptyList list={list} place={place} />;
  return (
    <>
      <Table
        caption={list.title}
        columns={[
          ...(writes === undefined ? [] : [createCheckboxColumn(selection, reply.rows)]),
          ...createTableColumns(list, columns, reply),
        ]}
        rows={reply.rows}
        rowKey={({ ref }) => ref}
        empty="There is no such page of the list."
        order={{ by: place.settings.get("order") ?? "", choose: (order) => changeSettings({ order, page: "" }) }}
      />
      <ListPager page={page} total={reply.total_count} />
      {writes === undefined ? null : (
        <SelectionBar kind={writes} selection={selection} request={request} total={reply.total_count} />
      )}
    </>
  );
}

function createTableColumns(
  { page }: ListKind,
  columns: readonly string[],
  { rows }: ListInventoryResponse,
): readonly Column<InventoryRow>[] {
  const known = listAllColumns(page);
  return [
    { name: "Code", cell: ({ ref, name }) => <RefLink to={ref} label={name} /> },
    ...columns.map((column): Column<InventoryRow> => {
      const most = Math.max(...rows.map(({ figures }) => figures[column] ?? 0));
      return {
        name: getColumnLabel(column),
        numeric: isFigureColumn(column),
        ...(known.includes(column) && { order: column }),
        cell: (row) => <ListCell row={row} column={column} most={most} />,
      };
    }),
  ];
}

/** Reason why a list is empty, with a link that removes the filter or adds elements. */
function EmptyList({ list, place }: { readonly list: ListKind; readonly place: PageAddress }) {
  const isWriter = useCanWrite();
  const isFiltered = listConditions(place).length > 0 || (place.settings.get("q") ?? "") !== "";
  if (isFiltered) {
    return (
      <EmptyText>
        No {list.singular} matches. <a href={formatPageUrl(list.page)}>Remove the filters</a>
      </EmptyText>
    );
  }
  return (
    <EmptyText>
      No {list.singular} is recorded. {list.emptyText}{" "}
      {isWriter ? <a href={formatPageUrl("import")}>Import a file</a> : null}
    </EmptyText>
  );
}

function CreateButton({ kind, one }: { readonly kind: EditableKind; readonly one: string }) {
  const may = useCanWrite();
  return may ? <EditButton edit={{ mode: "create", kind, values: {} }}>New {one}</EditButton> : null;
}

/** Buttons that save all rows of the list, with the chosen columns, as CSV or JSON. */
function ExportButtons({ list, request, columns }: { list: ListKind; request: object; columns: readonly string[] }) {
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const saveRows = async (format: "csv" | "json") => {
    setProblem("");
    setBusy(true);
    try {
      const rows = await loadAllRows(request);
      const [text, type] =
        format === "csv"
          ? [formatRowsAsCsv(rows, columns), "text/csv"]
          : [formatRowsAsJson(rows, columns), "application/json"];
      saveFile(new Blob([text], { type }), `${list.page}.${format}`);
    } catch (error) {
      setProblem(convertToCallError(error).message);
    }
    setBusy(false);
  };
  return (
    <>
      {problem === "" ? null : <span role="alert">{problem}</span>}
      <button type="button" disabled={busy} onClick={() => void saveRows("csv")}>
        <Icon name="export" />
        CSV
      </button>
      <button type="button" disabled={busy} onClick={() => void saveRows("json")}>
        JSON
      </button>
    </>
  );
}
