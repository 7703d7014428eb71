import { useState } from "preact/hooks";
import type { BoardChoices } from "#planner/board/wire.ts";
import { callTool, RequestError } from "./api.ts";
import { LabelledField, ModalDialog, splitWordList } from "./dialog.tsx";
import { changeBoardAddress } from "./place.ts";
import { showMessage } from "./store.ts";

interface SpecDraft {
  readonly title: string;
  readonly text: string;
  readonly criteria: string;
  readonly template: string;
  readonly priority: string;
  readonly labels: string;
  readonly assignee: string;
  readonly due: string;
  readonly depends_on: string;
}

const EMPTY_DRAFT: SpecDraft = {
  title: "",
  text: "",
  criteria: "",
  template: "",
  priority: "",
  labels: "",
  assignee: "",
  due: "",
  depends_on: "",
};

/** Dialog that adds a spec, as `planner add` does. */
export function AddDialog({
  choices,
  leave,
}: {
  readonly choices: BoardChoices | undefined;
  readonly leave: () => void;
}) {
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [problem, setProblem] = useState<string>();
  const createSetter = (part: keyof SpecDraft) => (value: string) =>
    setDraft((before) => ({ ...before, [part]: value }));
  const addSpec = async () => {
    try {
      const { text, spec_id } = await callTool("add", createAddArguments(draft));
      showMessage({ tone: "ok", text: text.startsWith("{") ? `Created spec: ${spec_id}` : text });
      leave();
      if (spec_id !== null) changeBoardAddress({ spec: spec_id });
    } catch (error) {
      setProblem(error instanceof RequestError ? error.message : String(error));
    }
  };
  return (
    <ModalDialog
      title="Add a spec"
      leave={leave}
      submit={{ label: "Add", act: () => void addSpec(), disabled: draft.title.trim() === "" }}
    >
      {problem === undefined ? null : (
        <p class="banner fault" role="alert">
          {problem}
        </p>
      )}
      <LabelledField label="Title" value={draft.title} set={createSetter("title")} />
      <LabelledField label="Text" value={draft.text} set={createSetter("text")} rows={5} />
      <LabelledField
        label="Criteria"
        value={draft.criteria}
        set={createSetter("criteria")}
        rows={4}
        hint="One a line. A command that proves it goes behind “ => ”; it runs once you have accepted it in a terminal."
      />
      <div class="pair">
        <LabelledField
          label="Priority"
          value={draft.priority}
          set={createSetter("priority")}
          options={["", ...(choices?.priorities ?? [])]}
        />
        {(choices?.templates.length ?? 0) === 0 ? null : (
          <LabelledField
            label="Template"
            value={draft.template}
            set={createSetter("template")}
            options={["", ...(choices?.templates ?? [])]}
          />
        )}
        <LabelledField label="Due" type="date" value={draft.due} set={createSetter("due")} />
        <LabelledField label="Assignee" value={draft.assignee} set={createSetter("assignee")} />
        <LabelledField label="Labels" value={draft.labels} set={createSetter("labels")} hint="With commas" />
        <LabelledField
          label="Waits for"
          value={draft.depends_on}
          set={createSetter("depends_on")}
          hint="Ids, with commas"
        />
      </div>
    </ModalDialog>
  );
}

/** Returns the arguments of the command `add` for a draft; empty arguments are omitted. */
function createAddArguments({ title, text, criteria, labels, depends_on, ...simple }: SpecDraft): object {
  const lines = criteria.split("\n").filter((line) => line.trim() !== "");
  const pairs = lines.map((line) => {
    const at = line.lastIndexOf(" => ");
    return at === -1 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 4).trim()];
  });
  const checks = pairs.map(([, check = ""]) => check);
  const given = {
    ...simple,
    title: title.trim(),
    description: text.trim() === "" ? title.trim() : text,
    ...(pairs.length === 0 ? {} : { criteria: pairs.map(([criterion]) => criterion) }),
    ...(checks.some((check) => check !== "") ? { checks } : {}),
    ...(splitWordList(labels).length === 0 ? {} : { labels: splitWordList(labels) }),
    ...(splitWordList(depends_on).length === 0 ? {} : { depends_on: splitWordList(depends_on) }),
  };
  // If only a title is given, it becomes the description and no title is sent.
  const { title: named, ...rest } = given;
  return dropEmptyValues(text.trim() === "" ? rest : { ...rest, title: named });
}

function dropEmptyValues(given: object): object {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ""));
}
