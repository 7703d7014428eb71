import { useMemo } from "preact/hooks";
import { count } from "#words/figures.ts";
import { capitalized, kindNoun, plural } from "#words/names.ts";
import { StateMark } from "../../shared/state.tsx";
import { ChoiceField } from "../ui/fields.tsx";
import { Card } from "../ui/parts.tsx";
import { isFaceGuessed, missingFields, type Target, targetsOf } from "./columns.ts";
import type { CsvTable } from "./csv.ts";
import { KINDS, type Kind } from "./parse_items.ts";

export interface Mapping {
  readonly kind: Kind;
  /** The path that each column fills; "" for none. */
  readonly columns: readonly string[];
}

/** Which column fills which field, as guessed from its name and corrected by the person. */
export function MappingTable({
  table,
  mapping,
  setKind,
  setColumn,
}: {
  readonly table: CsvTable;
  readonly mapping: Mapping;
  readonly setKind: (kind: Kind) => void;
  readonly setColumn: (index: number, path: string) => void;
}) {
  const targets = useMemo(() => targetsOf(mapping.kind), [mapping.kind]);
  const unknown = table.headers.filter((_, index) => mapping.columns[index] === "");
  const missing = missingFields(mapping.kind, mapping.columns);
  const first = table.rows[0]?.cells ?? [];
  return (
    <Card title={`Columns of ${count(table.rows.length)} rows`}>
      <ChoiceField
        label="The rows are"
        value={mapping.kind}
        choices={KINDS.map((kind) => [kind, capitalized(plural(kindNoun(kind)))] as const)}
        change={(kind) => setKind(KINDS.find((one) => one === kind) ?? "device")}
      />
      {unknown.length === 0 ? null : (
        <p role="status">
          Not imported, since no field is chosen: <strong>{unknown.join(", ")}</strong>
        </p>
      )}
      {isFaceGuessed(mapping.kind, mapping.columns) ? (
        <p>Devices with a unit and no face are placed at the front.</p>
      ) : null}
      {missing.length === 0 ? null : (
        <p role="status">
          <StateMark state="fault" label="fault" /> Nothing is checked before a column is chosen for what every item
          needs: <strong>{missing.join(", ")}</strong>
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard */}
      <section class="table-wrap" tabIndex={0} aria-label="Columns and fields">
        <table>
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">First value</th>
              <th scope="col">Field</th>
            </tr>
          </thead>
          <tbody>
            {table.headers.map((header, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <tr key={index}>
                <th scope="row">{header}</th>
                <td>{first[index]}</td>
                <td>
                  <FieldChoice
                    header={header}
                    path={mapping.columns[index] ?? ""}
                    targets={targets}
                    choose={(path) => setColumn(index, path)}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Card>
  );
}

function FieldChoice({
  header,
  path,
  targets,
  choose,
}: {
  readonly header: string;
  readonly path: string;
  readonly targets: readonly Target[];
  readonly choose: (path: string) => void;
}) {
  const label = `labels.${header}`;
  const isLabel = path.startsWith("labels.");
  return (
    <select
      aria-label={`Field for ${header}`}
      value={path}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">Do not import</option>
      {targets.map((target) => (
        <option key={target.path} value={target.path}>
          {target.label}
        </option>
      ))}
      <option value={isLabel ? path : label}>Label {isLabel ? path.slice("labels.".length) : header}</option>
    </select>
  );
}
