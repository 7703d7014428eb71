import { useState } from "preact/hooks";
import type { BoardChoices } from "#planner/board/wire.ts";
import { callTool, describeError } from "./api.ts";
import { ProblemBanner } from "./app_parts.tsx";
import { LabelledField, ModalDialog, splitWordList } from "./dialog.tsx";
import { changeBoardAddress } from "./place.ts";
import { showMessage } from "./store.ts";

const EMPTY_DRAFT = {
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

type SpecDraft = Readonly<typeof EMPTY_DRAFT>;

/** Dialog that adds a spec, as `planner add` does. */
export function AddDialog(props: { readonly choices: BoardChoices | undefined; readonly leave: () => void }) {
  const { choices, leave } = props;
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [problem, setProblem] = useState<string>();
  const bindField = (part: keyof SpecDraft) => ({
    value: draft[part],
    set: (value: string) => setDraft((before) => ({ ...before, [part]: value })),
  });
  const addSpec = async () => {
    try {
      const { text, spec_id } = await callTool("add", createAddArguments(draft));
      showMessage({ tone: "ok", text: text.startsWith("{") ? `Created spec: ${spec_id}` : text });
      leave();
      if (spec_id !== null) changeBoardAddress({ spec: spec_id });
    } catch (error) {
      setProblem(describeError(error));
    }
  };
  return (
    <ModalDialog
      title="Add a spec"
      leave={leave}
      submit={{ label: "Add", act: () => void addSpec(), disabled: draft.title.trim() === "" }}
    >
      <ProblemBanner problem={problem} />
      <LabelledField label="Title" {...bindField("title")} />
      <LabelledField label="Text" {...bindField("text")} rows={5} />
      <LabelledField
        label="Criteria"
        {...bindField("criteria")}
        rows={4}
        hint="One a line. A command that proves it goes behind “ => ”; it runs once you have accepted it in a terminal."
      />
      <div class="pair">
        <LabelledField label="Priority" {...bindField("priority")} options={["", ...(choices?.priorities ?? [])]} />
        {(choices?.templates.length ?? 0) === 0 ? null : (
          <LabelledField label="Template" {...bindField("template")} options={["", ...(choices?.templates ?? [])]} />
        )}
        <LabelledField label="Due" type="date" {...bindField("due")} />
        <LabelledField label="Assignee" {...bindField("assignee")} />
        <LabelledField label="Labels" {...bindField("labels")} hint="With commas" />
        <LabelledField label="Waits for" {...bindField("depends_on")} hint="Ids, with commas" />
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
