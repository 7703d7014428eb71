import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { type FieldProblem, IMPORT_KINDS, type ImportKind } from "#dc/operations/import/wire.ts";
import { formatCount } from "#words/figures.ts";
import { capitalize, getKindNoun, pluralize } from "#words/names.ts";
import { StateMark } from "../../shared/marks.tsx";
import { listEnumChoices } from "../edit/form_model.ts";
import { ChoiceField, renderOptions } from "../ui/fields.tsx";
import { Card } from "../ui/parts.tsx";
import {
  type ColumnMapping,
  type ColumnTarget,
  isFaceGuessed,
  listColumnTargets,
  listMissingFields,
  type Sheet,
} from "./import_file.ts";

/** Returns the required fields without a value, which prevent a check. */
export function listBlockingFields({ kind, columns, defaults }: ColumnMapping): readonly ColumnTarget[] {
  return listMissingFields(kind, columns).filter(({ path }) => (defaults[path] ?? "") === "");
}

const DECIMAL_SIGNS = [
  ["", "Refuse 1.200 and 1,200"],
  [".", "Point: 1,200 is 1200"],
  [",", "Comma: 1.200 is 1200"],
] as const;

/** Table that assigns columns to fields, as guessed from the headers and corrected by the person. */
export function MappingTable(props: {
  readonly sheet: Sheet;
  readonly mapping: ColumnMapping;
  /** Problems of values for all rows that the service refused, as `default.<path>`. */
  readonly problems: readonly FieldProblem[];
  readonly setKind: (kind: ImportKind) => void;
  readonly setColumn: (index: number, path: string) => void;
  readonly setDefaults: (defaults: ColumnMapping["defaults"]) => void;
  readonly setDecimal: (decimal: ColumnMapping["decimal"]) => void;
}) {
  const { sheet, mapping, problems, setKind, setColumn, setDefaults, setDecimal } = props;
  const targets = useMemo(() => listColumnTargets(mapping.kind), [mapping.kind]);
  const unknown = sheet.headings.filter((_, index) => mapping.columns[index] === "");
  const missing = listBlockingFields(mapping);
  return (
    <Card title={`Columns of ${formatCount(sheet.rows)} rows`}>
      <ChoiceField
        label="The rows are"
        value={mapping.kind}
        choices={IMPORT_KINDS.map((kind) => [kind, capitalize(pluralize(getKindNoun(kind)))] as const)}
        change={(kind) => setKind(IMPORT_KINDS.find((one) => one === kind) ?? "device")}
      />
      <ChoiceField
        label="Decimal sign"
        value={mapping.decimal ?? ""}
        choices={DECIMAL_SIGNS}
        change={(sign) => setDecimal(sign === "." || sign === "," ? sign : undefined)}
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
          <StateMark state="fault" label="fault" /> Nothing is checked before a column is chosen, or one value given,
          for what every item needs: <strong>{missing.map(({ label }) => label).join(", ")}</strong>
        </p>
      )}
      <DefaultValues mapping={mapping} targets={targets} problems={problems} set={setDefaults} />
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
            {sheet.headings.map((header, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have the same name
              <tr key={index}>
                <th scope="row">{header}</th>
                <td>{sheet.first[index]}</td>
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

/** Fields with one value for all rows: required ones that no column fills, and others that the person adds. */
function DefaultValues(props: {
  readonly mapping: ColumnMapping;
  readonly targets: readonly ColumnTarget[];
  readonly problems: readonly FieldProblem[];
  readonly set: (defaults: ColumnMapping["defaults"]) => void;
}) {
  const { mapping, targets, problems, set } = props;
  const { kind, columns, defaults } = mapping;
  const missing = new Set(listMissingFields(kind, columns).map(({ path }) => path));
  const free = targets.filter(({ path }) => !columns.includes(path));
  const shown = free.filter(({ path }) => missing.has(path) || path in defaults);
  return (
    <fieldset class="group">
      <legend>One value for all rows</legend>
      <div class="form-grid">
        {shown.map((target) => (
          <DefaultValueField
            key={target.path}
            target={target}
            isNeeded={missing.has(target.path)}
            text={defaults[target.path] ?? ""}
            problem={problems.find(({ field }) => field === `default.${target.path}`)?.message ?? ""}
            set={(text) => set({ ...defaults, [target.path]: text })}
          />
        ))}
        <div class="form-field">
          <label for="import-add">Add a field</label>
          <select
            id="import-add"
            value=""
            onChange={({ currentTarget: { value } }) => value !== "" && set({ ...defaults, [value]: "" })}
          >
            <option value="">Choose a field</option>
            {renderOptions(
              free.filter((target) => !shown.includes(target)).map(({ path, label }) => [path, label] as const),
            )}
          </select>
        </div>
      </div>
    </fieldset>
  );
}

function DefaultValueField(props: {
  readonly target: ColumnTarget;
  readonly isNeeded: boolean;
  readonly text: string;
  readonly problem: string;
  readonly set: (text: string) => void;
}) {
  const { target, isNeeded, text, problem, set } = props;
  const { path, label, field } = target;
  const id = `import-all-${path}`;
  const common = { id, value: text, "aria-invalid": problem !== "", "aria-describedby": `${id}-problem` };
  return (
    <div class="form-field">
      <label for={id}>
        {label}
        {isNeeded ? <span class="required"> required</span> : null}
      </label>
      {field.type === "choice" ? (
        <select {...common} onChange={({ currentTarget }) => set(currentTarget.value)}>
          <option value="">Not set</option>
          {renderOptions(listEnumChoices(field.of ?? ""))}
        </select>
      ) : (
        <input
          {...common}
          type="text"
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => set(currentTarget.value)}
        />
      )}
      <p class="form-problem" id={`${id}-problem`}>
        {problem}
      </p>
    </div>
  );
}

function FieldChoice(props: {
  readonly header: string;
  readonly path: string;
  readonly targets: readonly ColumnTarget[];
  readonly choose: (path: string) => void;
}) {
  const { header, path, targets, choose } = props;
  const label = `labels.${header}`;
  const isLabel = path.startsWith("labels.");
  return (
    <select
      aria-label={`Field for ${header}`}
      value={path}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="">Do not import</option>
      {renderOptions(targets.map((target) => [target.path, target.label] as const))}
      <option value={isLabel ? path : label}>Label {isLabel ? path.slice("labels.".length) : header}</option>
    </select>
  );
}

const IMPORT_STEPS = [
  ["map", "Map", "the file and its columns"],
  ["check", "Check", "nothing is written yet"],
  ["write", "Write", "what was checked"],
] as const;

export type StepName = (typeof IMPORT_STEPS)[number][0];

/** List of the steps of an import; `open` determines which steps can be chosen. */
export function ImportSteps(props: {
  readonly now: StepName;
  readonly open: Readonly<Record<StepName, boolean>>;
  readonly go: (step: StepName) => void;
}) {
  const { now, open, go } = props;
  const list = useRef<HTMLOListElement>(null);
  const last = useRef(now);
  // A button that opens another step disappears with its own step, so the focus has to move.
  useLayoutEffect(() => {
    if (last.current !== now) list.current?.querySelector<HTMLElement>("[aria-current]")?.focus();
    last.current = now;
  }, [now]);
  const at = IMPORT_STEPS.findIndex(([step]) => step === now);
  return (
    <ol class="steps" ref={list} aria-label="Steps">
      {IMPORT_STEPS.map(([step, name, about], index) => (
        <li key={step}>
          <button
            type="button"
            class={index < at ? "passed" : ""}
            aria-current={step === now ? "step" : undefined}
            disabled={step !== now && !open[step]}
            onClick={() => go(step)}
          >
            <span class="step-number">{index + 1}</span>
            <span>
              <strong>{name}</strong> <span class="muted">{about}</span>
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
