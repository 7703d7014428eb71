import { useState } from "preact/hooks";
import { act } from "./act.ts";
import { Dialog, Field } from "./dialog.tsx";

interface BackProps {
  readonly id: string;
  readonly leave: () => void;
  readonly again: () => void;
}

/** Sends work back with a text for the agent, as `planner review --back`. */
export function BackDialog({ id, leave, again }: BackProps) {
  const [text, setText] = useState("");
  const send = () => {
    leave();
    void act("back", { id, text }).then(again);
  };
  return (
    <Dialog title="Send back" leave={leave} submit={{ label: "Send back", act: send, disabled: text.trim() === "" }}>
      <Field
        label="What is to be done"
        value={text}
        set={setText}
        rows={8}
        hint="It stands under Review in the spec. The spec becomes ready, and the next run reads it."
      />
    </Dialog>
  );
}
