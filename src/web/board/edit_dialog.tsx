import { useState } from "preact/hooks";
import type { SpecPage } from "#planner/board/wire.ts";
import { callTool, RequestError, readSpec } from "./api.ts";
import { LabelledField, ModalDialog, splitCommaList } from "./dialog.tsx";
import { boardStore, showMessage } from "./store.ts";

interface Draft {
  readonly priority: string;
  readonly due: string;
  readonly assignee: string;
  readonly labels: string;
  readonly depends_on: string;
  readonly body: string;
}

interface EditProps {
  readonly spec: SpecPage;
  readonly leave: () => void;
  readonly again: () => void;
}

/** Dialog that edits a spec's fields and text. If another writer has changed the spec, shows the newer state. */
export function EditDialog({ spec, leave, again }: EditProps) {
  const [base, setBase] = useState(spec);
  const [draft, setDraft] = useState(() => createDraft(spec));
  const [problem, setProblem] = useState<string>();
  const [theirs, setTheirs] = useState<Draft>();
  const set = (part: keyof Draft) => (value: string) => setDraft((before) => ({ ...before, [part]: value }));
  const change = createUpdateArguments(createDraft(base), draft);
  const save = async () => {
    try {
      const { text } = await callTool("update", { id: spec.id, ...change }, { seen: base.seen });
      showMessage({ tone: "ok", text });
      leave();
      again();
    } catch (error) {
      setProblem(error instanceof RequestError ? error.message : String(error));
      if (!(error instanceof RequestError) || !error.isConflict) return;
      const newer = await readSpec(spec.id);
      // Fields that this person did not change take the newer value.
      const [before, now] = [createDraft(base), createDraft(newer)];
      setDraft(
        (mine) =>
          Object.fromEntries(
            PARTS.map((part) => [part, mine[part] === before[part] ? now[part] : mine[part]]),
          ) as unknown as Draft,
      );
      setTheirs(now);
      setBase(newer);
    }
  };
  const priorities = ["", ...(boardStore.view.data?.choices.priorities ?? [])];
  return (
    <ModalDialog
      title="Edit"
      leave={leave}
      submit={{ label: "Save", act: () => void save(), disabled: Object.keys(change).length === 0 }}
    >
      {problem === undefined ? null : (
        <p class="banner fault" role="alert">
          {problem}
        </p>
      )}
      {theirs === undefined ? null : (
        <details open>
          <summary>The newer state</summary>
          <pre>
            {PARTS.filter((part) => theirs[part] !== "")
              .map((part) => `${NAMES[part]}: ${theirs[part]}`)
              .join("\n")}
          </pre>
        </details>
      )}
      <div class="pair">
        <LabelledField label={NAMES.priority} value={draft.priority} set={set("priority")} options={priorities} />
        <LabelledField label={NAMES.due} type="date" value={draft.due} set={set("due")} />
        <LabelledField label={NAMES.assignee} value={draft.assignee} set={set("assignee")} />
        <LabelledField label={NAMES.labels} value={draft.labels} set={set("labels")} hint="With commas" />
        <LabelledField
          label={NAMES.depends_on}
          value={draft.depends_on}
          set={set("depends_on")}
          hint="Ids, with commas"
        />
      </div>
      <LabelledField label={NAMES.body} value={draft.body} set={set("body")} rows={16} />
    </ModalDialog>
  );
}

const NAMES = {
  priority: "Priority",
  due: "Due",
  assignee: "Assignee",
  labels: "Labels",
  depends_on: "Waits for",
  body: "Text",
} as const;

const PARTS = Object.keys(NAMES) as readonly (keyof Draft)[];

function createDraft(spec: SpecPage): Draft {
  return {
    priority: spec.priority ?? "",
    due: spec.due ?? "",
    assignee: spec.assignee ?? "",
    labels: spec.labels.join(", "),
    depends_on: spec.depends_on.map(({ id }) => id).join(", "),
    body: spec.body,
  };
}

/** Returns the arguments of the command `update` for the fields that differ between two drafts. */
function createUpdateArguments(before: Draft, after: Draft): object {
  const simple = (["priority", "due", "assignee"] as const).filter((part) => before[part] !== after[part]);
  const lists = (["labels", "depends_on"] as const).filter((part) => before[part] !== after[part]);
  return {
    ...Object.fromEntries(simple.map((part) => [part, after[part].trim()])),
    ...Object.fromEntries(lists.map((part) => [part, splitCommaList(after[part])])),
    ...(before.body === after.body ? {} : { output: after.body, replace_body: true }),
  };
}
