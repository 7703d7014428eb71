import { useState } from "preact/hooks";
import type { BoardChoices } from "#planner/board/wire.ts";
import { runCommand } from "./act.ts";
import { LabelledField, ModalDialog } from "./dialog.tsx";

interface WorkDialogProps {
  readonly id: string;
  readonly choices: BoardChoices | undefined;
  readonly leave: () => void;
}

/** Dialog that starts an agent, as `planner work` does. */
export function WorkDialog({ id, choices, leave }: WorkDialogProps) {
  const [provider, setProvider] = useState("");
  const [model, setModel] = useState("");
  const [budget, setBudget] = useState("");
  const [resumes, setResumes] = useState(false);
  const startAgent = () => {
    leave();
    void runCommand("work", {
      id,
      ...(provider === "" ? {} : { provider }),
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(budget === "" ? {} : { budget: Number(budget) }),
      ...(resumes ? { resume: true } : {}),
    });
  };
  const [usual = "", ...others] = choices?.agents ?? [];
  return (
    <ModalDialog title="Start an agent" leave={leave} submit={{ label: "Start", act: startAgent }}>
      <p class="muted">{id}</p>
      <div class="pair">
        <label class="field">
          <span>Agent</span>
          <select value={provider} onChange={({ currentTarget }) => setProvider(currentTarget.value)}>
            <option value="">{usual} (configured)</option>
            {others.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <LabelledField label="Model" value={model} set={setModel} hint="Empty: as the spec or the settings say" />
        <LabelledField label="Limit in US dollars" type="number" value={budget} set={setBudget} />
      </div>
      <label class="check">
        <input type="checkbox" checked={resumes} onChange={({ currentTarget }) => setResumes(currentTarget.checked)} />
        <span>Continue the agent's session of the last run</span>
      </label>
    </ModalDialog>
  );
}
