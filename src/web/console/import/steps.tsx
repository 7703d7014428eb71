import { useLayoutEffect, useRef } from "preact/hooks";

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
