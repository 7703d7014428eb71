import { useEffect, useMemo, useState } from "preact/hooks";
import type { DevicePlace } from "#gen/datacenter/v1/json.ts";
import { CallError, callRpc, convertToCallError } from "../api/client.ts";
import { callWithSignIn } from "../api/sign_in.ts";
import { NOT_STORED_ETAG, type ResourceChange } from "../edit/changes.ts";
import { ProposalFindings, WriteProblem } from "../edit/changes_panel.tsx";
import { EditDialog, ReasonField } from "../edit/dialog.tsx";
import { ProposalEffects } from "../edit/effects.tsx";
import { useProposal } from "../edit/use_proposal.ts";
import { formatQuantity } from "../labels.ts";
import { RefLink } from "../ui/parts.tsx";
import { type ChosenPlaces, getPlaceKey, PLACEMENT_RPC, type PlacementRequest } from "./placement_request.ts";

interface PlacementWriteDialogProps {
  readonly request: PlacementRequest;
  readonly places: ChosenPlaces;
  readonly leave: () => void;
  /** Receives the positions of the placed devices. */
  readonly placed: (places: readonly DevicePlace[]) => void;
}

/** Dialog that checks the chosen devices, shows their effects, and writes them with their cables. */
export function PlacementWriteDialog({ request, places, leave, placed }: PlacementWriteDialogProps) {
  const [found, setFound] = useState<readonly DevicePlace[]>();
  const [problem, setProblem] = useState("");
  const [why, setWhy] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: an open dialog never changes its answer
  useEffect(() => {
    void loadPlacementItems(request, places).then(setFound, (error: unknown) =>
      setProblem(convertToCallError(error).message),
    );
  }, []);
  const changes = useMemo(() => found?.flatMap(createPlacementChanges), [found]);
  const proposal = useProposal({
    changes,
    formatNotice: ({ done }) => {
      const devices = found ?? [];
      placed(devices);
      leave();
      return `Wrote ${formatQuantity(devices.length, "device")} and ${formatQuantity(done - devices.length, "cable")}`;
    },
  });
  const label =
    proposal.progress === undefined ? `Write ${formatQuantity(places.chosen.length, "device")}` : "Writing…";
  return (
    <EditDialog
      title={`Place ${formatQuantity(places.chosen.length, "device")}`}
      leave={leave}
      submit={() => void proposal.write(why)}
      button={{ label, disabled: !proposal.canWrite }}
    >
      <div class="edit-body">
        {problem === "" ? null : <p role="alert">{problem}</p>}
        {found === undefined ? null : <PlacementPlan places={found} />}
        {proposal.progress === undefined ? null : (
          <p role="status">
            {proposal.progress} of {changes?.length} written
          </p>
        )}
        <ProposalFindings proposal={proposal} />
        <ProposalEffects proposal={proposal} />
        <WriteProblem proposal={proposal} />
        <ReasonField value={why} set={setWhy} />
      </div>
    </EditDialog>
  );
}

function PlacementPlan({ places }: { readonly places: readonly DevicePlace[] }) {
  const cables = places.reduce((sum, { cables: own = [] }) => sum + own.length, 0);
  return (
    <>
      <p>
        Creates {formatQuantity(places.length, "device")} and {formatQuantity(cables, "cable")}:
      </p>
      <ul class="plan">
        {places.map(({ device_code, rack_code, position_u }) => (
          <li key={device_code}>
            <ins>{device_code}</ins> in <RefLink to={`rack:${rack_code}`} />, U{position_u}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Requests the chosen positions again, with the items to write. @throws CallError, also if the positions changed. */
async function loadPlacementItems(
  request: PlacementRequest,
  { chosen }: ChosenPlaces,
): Promise<readonly DevicePlace[]> {
  const { places: all } = await callWithSignIn(() => callRpc(PLACEMENT_RPC, { ...request, include_items: true }));
  const wanted = new Set(chosen.map(getPlaceKey));
  const places = all.filter((place) => wanted.has(getPlaceKey(place)));
  if (places.length === chosen.length) return places;
  throw new CallError("aborted", "The inventory has changed, and so have the places. Close this and look again.");
}

/** Returns the changes that create a device and its cables; none of them may be stored yet. */
function createPlacementChanges({ device, cables }: DevicePlace): readonly ResourceChange[] {
  const etag = NOT_STORED_ETAG;
  return [{ device, etag }, ...cables.map((cable) => ({ cable, etag }))];
}
