import { useState } from "preact/hooks";
import type { SpecPage } from "#planner/board/wire.ts";
import { callTool, describeError, RequestError, readSpec } from "./api.ts";
import { ProblemBanner } from "./app_parts.tsx";
import { LabelledField, ModalDialog, splitWordList } from "./dialog.tsx";
import { boardStore, showMessage } from "./store.ts";

interface EditDialogProps {
  readonly spec: SpecPage;
  readonly leave: () => void;
  readonly reload: () => void;
}

/** Dialog that edits a spec's fields and text. If another writer has changed the spec, shows the newer state. */
export function EditDialog({ spec, leave, reload }: EditDialogProps) {
  const [base, setBase] = useState(spec);
  const [draft, setDraft] = useState(() => createDraft(spec));
  const [problem, setProblem] = useState<string>();
  const [theirs, setTheirs] = useState<EditDraft>();
  const bindField = (part: keyof EditDraft) => ({
    value: draft[part],
    set: (value: string) => setDraft((before) => ({ ...before, [part]: value })),
  });
  const change = createUpdateArguments(createDraft(base), draft);
  const saveChanges = async () => {
    try {
      const { text } = await callTool("update", { id: spec.id, ...change }, { seen: base.seen });
      showMessage({ tone: "ok", text });
      leave();
      reload();
    } catch (error) {
      setProblem(describeError(error));
      if (!(error instanceof RequestError) || !error.isConflict) return;
      const newer = await readSpec(spec.id);
      // Fields that this person did not change take the newer value.
      const [before, now] = [createDraft(base), createDraft(newer)];
      setDraft(
        (mine) =>
          Object.fromEntries(
            DRAFT_FIELDS.map((part) => [part, mine[part] === before[part] ? now[part] : mine[part]]),
          ) as unknown as EditDraft,
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
      submit={{ label: "Save", act: () => void saveChanges(), disabled: Object.keys(change).length === 0 }}
    >
      <ProblemBanner problem={problem} />
      {theirs === undefined ? null : (
        <details open>
          <summary>The newer state</summary>
          <pre>
            {DRAFT_FIELDS.filter((part) => theirs[part] !== "")
              .map((part) => `${FIELD_LABELS[part]}: ${theirs[part]}`)
              .join("\n")}
          </pre>
        </details>
      )}
      <div class="pair">
        <LabelledField label={FIELD_LABELS.priority} {...bindField("priority")} options={priorities} />
        <LabelledField label={FIELD_LABELS.due} type="date" {...bindField("due")} />
        <LabelledField label={FIELD_LABELS.assignee} {...bindField("assignee")} />
        <LabelledField label={FIELD_LABELS.labels} {...bindField("labels")} hint="With commas" />
        <LabelledField label={FIELD_LABELS.depends_on} {...bindField("depends_on")} hint="Ids, with commas" />
      </div>
      <LabelledField label={FIELD_LABELS.body} {...bindField("body")} rows={16} />
    </ModalDialog>
  );
}

const FIELD_LABELS = {
  priority: "Priority",
  due: "Due",
  assignee: "Assignee",
  labels: "Labels",
  depends_on: "Waits for",
  body: "Text",
} as const;

type EditDraft = Readonly<Record<keyof typeof FIELD_LABELS, string>>;

const DRAFT_FIELDS = Object.keys(FIELD_LABELS) as readonly (keyof EditDraft)[];

function createDraft(spec: SpecPage): EditDraft {
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
function createUpdateArguments(before: EditDraft, after: EditDraft): object {
  const simple = (["priority", "due", "assignee"] as const).filter((part) => before[part] !== after[part]);
  const lists = (["labels", "depends_on"] as const).filter((part) => before[part] !== after[part]);
  return {
    ...Object.fromEntries(simple.map((part) => [part, after[part].trim()])),
    ...Object.fromEntries(lists.map((part) => [part, splitWordList(after[part])])),
    ...(before.body === after.body ? {} : { output: after.body, replace_body: true }),
  };
}
