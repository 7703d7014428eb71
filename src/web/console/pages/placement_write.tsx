import { useEffect, useState } from "preact/hooks";
import { MAX_BATCH_ITEMS } from "#dc/limits.ts";
import type { DevicePlace } from "#gen/datacenter/v1/json.ts";
import { StateMark } from "../../shared/state.tsx";
import { CallError, call } from "../api/client.ts";
import { signedIn } from "../api/sign_in.ts";
import { written } from "../api/written.ts";
import { apply } from "../edit/apply.ts";
import { DialogButtons, EditDialog, WhyField } from "../edit/dialog.tsx";
import { editing, type Notice } from "../edit/editing.ts";
import type { Values } from "../edit/form_model.ts";
import { NOTHING_STORED } from "../edit/requests.ts";
import { counted } from "../labels.ts";
import { Badge, RefLink } from "../ui/parts.tsx";
import { type ChosenPlaces, PLACEMENT_RPC, type PlacementRequest, placeKey } from "./placement_request.ts";

type Step =
  | { readonly name: "checking" }
  | { readonly name: "checked"; readonly places: readonly DevicePlace[]; readonly findings: readonly string[] }
  | { readonly name: "writing"; readonly done: number; readonly of: number }
  /** `done` changes were written by earlier calls. */
  | { readonly name: "refused"; readonly problems: readonly string[]; readonly done?: number };

interface WriteProps {
  readonly request: PlacementRequest;
  readonly places: ChosenPlaces;
  readonly leave: () => void;
  /** Hears what was placed. */
  readonly placed: (places: readonly DevicePlace[]) => void;
}

/** Checks the chosen devices of an answer, shows what the check finds, and writes them with their cables. */
export function PlacementWrite({ request, places, leave, placed }: WriteProps) {
  const [step, setStep] = useState<Step>({ name: "checking" });
  const [why, setWhy] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog is about the answer that it was opened with
  useEffect(() => {
    void check(request, places).then(setStep, (error: unknown) => setStep(refusedBy(error)));
  }, []);
  const submit = () => {
    if (step.name !== "checked") return;
    void write(step.places, why, setStep).then(
      (notice) => {
        if (notice === undefined) return;
        placed(step.places);
        leave();
        editing.close(notice);
      },
      (error: unknown) => setStep(refusedBy(error)),
    );
  };
  return (
    <EditDialog
      title={`Place ${counted(places.chosen.length, "device")}`}
      leave={leave}
      submit={submit}
      footer={
        step.name === "refused" ? (
          <button type="button" class="primary" onClick={leave}>
            Close
          </button>
        ) : (
          <DialogButtons leave={leave} submit={submit} label={labelOf(step)} disabled={step.name !== "checked"} />
        )
      }
    >
      <div class="edit-body">
        <Body step={step} />
        {step.name === "checked" ? <WhyField value={why} set={setWhy} /> : null}
      </div>
    </EditDialog>
  );
}

function labelOf(step: Step): string {
  if (step.name === "checking") return "Checking…";
  return step.name === "checked" ? `Write ${counted(step.places.length, "device")}` : "Writing…";
}

function Body({ step }: { readonly step: Step }) {
  switch (step.name) {
    case "checking":
      return <p role="status">The service checks the devices; nothing is written.</p>;
    case "checked":
      return <Checked places={step.places} findings={step.findings} />;
    case "writing":
      return (
        <p role="status">
          {step.done} of {step.of} written
        </p>
      );
    case "refused":
      return (
        <div role="alert">
          <p>{step.done === undefined || step.done === 0 ? "Nothing was written." : `${step.done} were written.`}</p>
          <Problems problems={step.problems} />
        </div>
      );
  }
}

function Checked({
  places,
  findings,
}: {
  readonly places: readonly DevicePlace[];
  readonly findings: readonly string[];
}) {
  const cables = places.reduce((sum, { cables: own = [] }) => sum + own.length, 0);
  return (
    <>
      <p>
        Creates {counted(places.length, "device")} and {counted(cables, "cable")}:
      </p>
      <ul class="plan">
        {places.map(({ device_code, rack_code, position_u }) => (
          <li key={device_code}>
            <ins>{device_code}</ins> in <RefLink to={`rack:${rack_code}`} />, U{position_u}
          </li>
        ))}
      </ul>
      {findings.length === 0 ? (
        <Badge tone="ok">The check finds nothing wrong</Badge>
      ) : (
        <Problems problems={findings} />
      )}
    </>
  );
}

function Problems({ problems }: { readonly problems: readonly string[] }) {
  return problems.length === 0 ? null : (
    <ul>
      {problems.map((text) => (
        <li key={text}>
          <StateMark state="watch" label="watch" /> {text}
        </li>
      ))}
    </ul>
  );
}

/** Asks for the items of the same answer, and has the chosen ones checked. */
async function check(request: PlacementRequest, { chosen }: ChosenPlaces): Promise<Step> {
  const found = await signedIn(() => call(PLACEMENT_RPC, { ...request, include_items: true }));
  const wanted = new Set(chosen.map(placeKey));
  const places = (found.places ?? []).filter((place) => wanted.has(placeKey(place)));
  if (places.length !== chosen.length) {
    return {
      name: "refused",
      problems: ["The inventory has changed, and so have the places. Close this and look again."],
    };
  }
  const findings: string[] = [];
  for (const changes of batchesOf(places)) {
    const { refusals, warnings } = await apply(changes, { validateOnly: true });
    if (refusals.length > 0) return { name: "refused", problems: textsOf(refusals) };
    findings.push(...textsOf(warnings));
  }
  return { name: "checked", places, findings: [...new Set(findings)] };
}

/** Writes devices and their cables, and closes the dialog with what was written. */
async function write(
  places: readonly DevicePlace[],
  why: string,
  show: (step: Step) => void,
): Promise<Notice | undefined> {
  const batches = batchesOf(places);
  const total = batches.reduce((sum, { length }) => sum + length, 0);
  const requestId = crypto.randomUUID();
  let done = 0;
  for (const changes of batches) {
    show({ name: "writing", done, of: total });
    const request = batches.length === 1 ? { requestId } : {};
    const { refusals } = await apply(changes, { validateOnly: false, message: why, ...request });
    if (refusals.length > 0) {
      show({ name: "refused", problems: textsOf(refusals), done });
      return undefined;
    }
    done += changes.length;
    written.announce();
  }
  const words = `${counted(places.length, "device")} and ${counted(total - places.length, "cable")}`;
  return { text: `Wrote ${words}`, requestId: batches.length === 1 ? requestId : "" };
}

/** Each device with its cables, as few calls as hold them: none of it may be stored yet. */
function batchesOf(places: readonly DevicePlace[]): readonly (readonly Values[])[] {
  const batches: Values[][] = [];
  for (const { device, cables = [] } of places) {
    const own = [{ device, etag: NOTHING_STORED }, ...cables.map((cable) => ({ cable, etag: NOTHING_STORED }))];
    const last = batches.at(-1);
    if (last === undefined || last.length + own.length > MAX_BATCH_ITEMS) batches.push(own);
    else last.push(...own);
  }
  return batches;
}

function textsOf(found: readonly { readonly message: string }[]): readonly string[] {
  return [...new Set(found.map(({ message }) => message))];
}

function refusedBy(error: unknown): Step {
  const message = error instanceof CallError ? error.message : "The answer could not be read.";
  return { name: "refused", problems: [message] };
}
