import { useEffect, useState } from "preact/hooks";
import { CallError, call } from "../api/client.ts";
import type { BulkAnswer, Finding } from "../api/replies.ts";
import { signedIn } from "../api/sign_in.ts";
import { written } from "../api/written.ts";
import { DialogButtons, EditDialog, WhyField } from "../edit/dialog.tsx";
import { counted } from "../labels.ts";
import { Badge, RefLink } from "../ui/parts.tsx";
import { StateMark } from "../ui/state.tsx";
import {
  type ChosenPlaces,
  type FoundPlace,
  PLACEMENT_RPC,
  type PlacementAnswer,
  type PlacementRequest,
  placeKey,
} from "./placement_request.ts";

const CABLES_RPC = "datacenter.v1.PlanningService/BulkUpsertCables";
/** Cables of one call. */
const BATCH = 200;

type Step =
  | { readonly name: "checking" }
  | { readonly name: "checked"; readonly places: readonly FoundPlace[]; readonly findings: readonly string[] }
  | { readonly name: "writing"; readonly done: number; readonly of: number }
  | {
      readonly name: "written";
      readonly devices: number;
      readonly cables: number;
      readonly problems: readonly string[];
    }
  | { readonly name: "refused"; readonly problems: readonly string[] };

interface WriteProps {
  readonly request: PlacementRequest;
  readonly places: ChosenPlaces;
  readonly leave: () => void;
}

/** Checks the chosen devices of an answer, shows what the check finds, and writes them with their cables. */
export function PlacementWrite({ request, places, leave }: WriteProps) {
  const [step, setStep] = useState<Step>({ name: "checking" });
  const [why, setWhy] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog is about the answer that it was opened with
  useEffect(() => {
    void check(request, places).then(setStep, (error: unknown) => setStep(refusedBy(error)));
  }, []);
  const submit = () => {
    if (step.name !== "checked") return;
    void write(step.places, why, setStep).catch((error: unknown) => setStep(refusedBy(error)));
  };
  const isOver = step.name === "written" || step.name === "refused";
  return (
    <EditDialog
      title={`Place ${counted(places.chosen.length, "device")}`}
      leave={leave}
      submit={submit}
      footer={
        isOver ? (
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
    case "written":
      return (
        <div role="status">
          <p>
            Wrote {counted(step.devices, "device")} and {counted(step.cables, "cable")}.
          </p>
          <Problems problems={step.problems} />
        </div>
      );
    case "refused":
      return (
        <div role="alert">
          <p>Nothing was written.</p>
          <Problems problems={step.problems} />
        </div>
      );
  }
}

function Checked({
  places,
  findings,
}: {
  readonly places: readonly FoundPlace[];
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
  const found = await signedIn(() => call<PlacementAnswer>(PLACEMENT_RPC, { ...request, include_items: true }));
  const wanted = new Set(chosen.map(placeKey));
  const places = (found.places ?? []).filter((place) => wanted.has(placeKey(place)));
  if (places.length !== chosen.length) {
    return {
      name: "refused",
      problems: ["The inventory has changed, and so have the places. Close this and look again."],
    };
  }
  const checked = await sendDevices(places, { validate_only: true });
  const problems = refusals(checked);
  if (problems.length > 0) return { name: "refused", problems };
  return { name: "checked", places, findings: findingsOf(checked.results.flatMap(({ warnings = [] }) => warnings)) };
}

async function write(places: readonly FoundPlace[], why: string, show: (step: Step) => void): Promise<void> {
  const message = why === "" ? {} : { change_message: why };
  const cables = places.flatMap(({ cables: own = [] }) => own);
  const of = places.length + cables.length;
  show({ name: "writing", done: 0, of });
  const reply = await sendDevices(places, { ...message, request_id: crypto.randomUUID() });
  const refused = refusals(reply);
  if (refused.length > 0) return show({ name: "refused", problems: refused });
  const problems: string[] = [];
  let refusedCables = 0;
  for (let at = 0; at < cables.length; at += BATCH) {
    const batch = cables.slice(at, at + BATCH);
    const sent = await signedIn(() => call<BulkAnswer>(CABLES_RPC, { items: batch, ...message }));
    problems.push(...refusals(sent).map((text) => `A cable was refused: ${text}`));
    refusedCables += sent.failed;
    show({ name: "writing", done: places.length + at + batch.length, of });
  }
  written.announce();
  show({ name: "written", devices: places.length, cables: cables.length - refusedCables, problems });
}

function sendDevices(places: readonly FoundPlace[], options: object): Promise<BulkAnswer> {
  const items = places.map(({ device }) => device);
  return signedIn(() => call<BulkAnswer>("BulkUpsertDevices", { items, atomic: true, ...options }));
}

function refusals({ results }: BulkAnswer): readonly string[] {
  return [...new Set(results.flatMap(({ code, error }) => (error === undefined ? [] : [`${code}: ${error.message}`])))];
}

function findingsOf(warnings: readonly Finding[]): readonly string[] {
  return [...new Set(warnings.map(({ message }) => message))];
}

function refusedBy(error: unknown): Step {
  const message = error instanceof CallError ? error.message : "The answer could not be read.";
  return { name: "refused", problems: [message] };
}
