import type { ComponentChildren } from "preact";
import type { InventoryRow } from "#gen/datacenter/v1/json.ts";
import { getKindNoun, getRefName, pluralize } from "#words/names.ts";
import { callRpc, type RpcReply, useLoadedReply } from "../api/client.ts";
import { LIST_INVENTORY_RPC } from "../lists/inventory_rows.ts";
import { ListCell } from "../lists/list_columns.tsx";
import { getColumnLabel } from "../lists/list_kinds.ts";
import { formatSearchWords, SCOPE_KINDS } from "../named_refs.ts";
import { changeSettings, changeSubject, type PageAddress } from "../router.ts";
import { FilterRow, RefField } from "../ui/fields.tsx";
import { PageHead, ReplyView } from "../ui/page.tsx";
import { type Column, EmptyText, RefLink, TableCard } from "../ui/parts.tsx";
import { listCapacityRows } from "./capacity.tsx";

const CAPACITY_RPC = "datacenter.v1.PlanningService/GetCapacity";

/** One of the compared elements: its list row and its free capacity. */
interface ComparedSide {
  readonly ref: string;
  readonly row: InventoryRow | undefined;
  readonly columns: readonly string[];
  readonly capacity: RpcReply<typeof CAPACITY_RPC>["areas"][number] | undefined;
}

/** One line of the comparison, with a cell for each side. */
interface ComparisonLine {
  readonly name: string;
  readonly cells: readonly ComponentChildren[];
  /** Texts of the cells, to find out whether the sides differ. */
  readonly texts: readonly string[];
}

/** Page that compares two or more racks, rows, rooms, floors or sites side by side. */
export function ComparePage({ place: { subject, settings } }: { readonly place: PageAddress }) {
  const others = (settings.get("with") ?? "").split(" ").filter((ref) => ref !== "");
  const refs = [subject, ...others].filter((ref) => ref !== "");
  const asked = useLoadedReply(refs.length < 2 ? "" : `compare ${refs.join(" ")}`, (signal) =>
    Promise.all(refs.map((ref) => loadComparedSide(ref, signal))),
  );
  return (
    <>
      <PageHead title={refs.length < 2 ? "Compare" : refs.map(getRefName).join(" and ")} kind="Side by side" />
      <FilterRow>
        <RefField label="What" placeholder="B03" kinds={SCOPE_KINDS} value={subject} change={changeSubject} />
        <RefField
          label="With"
          placeholder="C03 D03"
          kinds={SCOPE_KINDS}
          value={others.join(" ")}
          change={(value) => changeSettings({ with: value })}
        />
      </FilterRow>
      {refs.length < 2 ? (
        <EmptyText>Name two racks, rows, rooms, floors or sites, such as B03 with C03.</EmptyText>
      ) : (
        <ReplyView asked={asked}>{(sides) => <ComparisonTable sides={sides} />}</ReplyView>
      )}
    </>
  );
}

async function loadComparedSide(ref: string, signal: AbortSignal): Promise<ComparedSide> {
  const kind = ref.slice(0, ref.indexOf(":"));
  const [list, capacity] = await Promise.all([
    callRpc(
      LIST_INVENTORY_RPC,
      { kind: `INVENTORY_KIND_${kind.toUpperCase()}`, query: formatSearchWords(getRefName(ref)), page_size: 100 },
      signal,
    ),
    callRpc(CAPACITY_RPC, { scope_ref: ref }, signal),
  ]);
  const row = list.rows.find((one) => one.ref.toLowerCase() === ref.toLowerCase());
  return { ref: row?.ref ?? ref, row, columns: list.columns, capacity: capacity.areas[0] };
}

function ComparisonTable({ sides }: { readonly sides: readonly ComparedSide[] }) {
  const columns: readonly Column<ComparisonLine>[] = [
    {
      name: "Fact",
      cell: ({ name, texts }) => (hasEqualTexts(texts) ? <span class="muted">{name}</span> : <b>{name}</b>),
    },
    ...sides.map(
      ({ ref }, at): Column<ComparisonLine> => ({ name: getRefName(ref), cell: ({ cells }) => cells[at] ?? "" }),
    ),
  ];
  const all = [...listFactLines(sides), ...listCapacityLines(sides)];
  const lines = [
    ...all.filter(({ texts }) => !hasEqualTexts(texts)),
    ...all.filter(({ texts }) => hasEqualTexts(texts)),
  ];
  const differing = lines.filter(({ texts }) => !hasEqualTexts(texts)).length;
  const [first] = sides;
  const what = pluralize(getKindNoun(first?.ref.split(":")[0] ?? ""));
  return (
    <TableCard
      title={differing === 0 ? `These ${what} are alike` : `${differing} of ${lines.length} facts differ`}
      action={
        <span>
          {sides.map(({ ref }) => (
            <span key={ref}>
              {" "}
              <RefLink to={ref} />
            </span>
          ))}
        </span>
      }
      caption="Facts side by side"
      columns={columns}
      rows={lines}
      rowKey={({ name }) => name}
      empty="Nothing is recorded."
    />
  );
}

function listFactLines(sides: readonly ComparedSide[]): readonly ComparisonLine[] {
  const columns = [...new Set(sides.flatMap((side) => side.columns))];
  return columns
    .filter(
      (column) =>
        column !== "name" &&
        sides.some(({ row }) => row?.texts[column] !== undefined || row?.figures[column] !== undefined),
    )
    .map((column) => ({
      name: getColumnLabel(column),
      cells: sides.map(({ row }) => (row === undefined ? "" : <ListCell key={column} row={row} column={column} />)),
      texts: sides.map(({ row }) => String(row?.figures[column] ?? row?.texts[column] ?? "")),
    }));
}

function listCapacityLines(sides: readonly ComparedSide[]): readonly ComparisonLine[] {
  const rows = sides.map(({ capacity }) => (capacity === undefined ? [] : listCapacityRows(capacity)));
  const names = [...new Set(rows.flatMap((side) => side.map(({ name }) => name)))];
  return names.map((name) => {
    const found = rows.map((side) => side.find((one) => one.name === name));
    return {
      name: `Left: ${name}`,
      cells: found.map((one) => one?.content),
      texts: found.map((one) => one?.text ?? ""),
    };
  });
}

function hasEqualTexts(texts: readonly string[]): boolean {
  return texts.every((text) => text === texts[0]);
}
