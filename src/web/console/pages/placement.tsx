import { useState } from "preact/hooks";
import type { DevicePlace } from "#gen/datacenter/v1/json.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { canWrite, useSession } from "../api/session.ts";
import { useCall } from "../api/use_call.ts";
import { formatQuantity } from "../labels.ts";
import type { PageAddress } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { renderFieldInputs } from "../ui/asked_input.tsx";
import { FilterRow } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Card, EmptyText, RefLink } from "../ui/parts.tsx";
import { EXTRA_PLACEMENT_FIELDS, PLACEMENT_FIELDS } from "./placement_fields.ts";
import {
  type ChosenPlaces,
  createPlacementRequest,
  PLACEMENT_RPC,
  type PlacementRequest,
} from "./placement_request.ts";
import { PlacementResult } from "./placement_result.tsx";
import { PlacementWriteDialog } from "./placement_write.tsx";

/** Page that finds positions for equal devices; the URL contains the whole request. */
export function PlacementPage({ place }: { readonly place: PageAddress }) {
  const { settings } = place;
  const getValue = (name: string) => settings.get(name) ?? "";
  const request = createPlacementRequest(getValue);
  return (
    <>
      <PageHead title="Where does it fit?" />
      <FilterRow>{renderFieldInputs(PLACEMENT_FIELDS, settings)}</FilterRow>
      <details class="more-fields" open={EXTRA_PLACEMENT_FIELDS.some(({ setting }) => getValue(setting) !== "")}>
        <summary>More: mounting, weight, cooling, spread, reserve</summary>
        <FilterRow>{renderFieldInputs(EXTRA_PLACEMENT_FIELDS, settings)}</FilterRow>
      </details>
      {typeof request === "string" ? (
        <EmptyText>{request}</EmptyText>
      ) : (
        <FoundPositions key={JSON.stringify(request)} request={request} />
      )}
    </>
  );
}

/** Shows the found positions. After a write, shows only the placed devices, so that no device is placed twice. */
function FoundPositions({ request }: { readonly request: PlacementRequest }) {
  const [placed, setPlaced] = useState<readonly DevicePlace[]>();
  if (placed !== undefined) return <PlacedDevices places={placed} askAgain={() => setPlaced(undefined)} />;
  return <PositionSearch request={request} placed={setPlaced} />;
}

function PlacedDevices(props: { readonly places: readonly DevicePlace[]; readonly askAgain: () => void }) {
  const { places, askAgain } = props;
  return (
    <Card title={`Placed ${formatQuantity(places.length, "device")}`}>
      <ul class="plan" aria-label="Placed devices">
        {places.map(({ device_code, rack_code, position_u }) => (
          <li key={device_code}>
            <RefLink to={`device:${device_code}`} /> in <RefLink to={`rack:${rack_code}`} />, U{position_u}
          </li>
        ))}
      </ul>
      <button type="button" onClick={askAgain}>
        Find places for more
      </button>
    </Card>
  );
}

function PositionSearch(props: {
  readonly request: PlacementRequest;
  readonly placed: (places: readonly DevicePlace[]) => void;
}) {
  const { request, placed } = props;
  const asked = useCall(PLACEMENT_RPC, { ...request, render: useRenderOptions() });
  const session = useSession();
  const [writing, setWriting] = useState<ChosenPlaces>();
  return (
    <>
      <ReplyView asked={asked}>
        {(answer) => (
          <PlacementResult
            answer={answer}
            question={{ rpc: PLACEMENT_RPC, request }}
            {...(canWrite(session.reply) && { write: (chosen) => setWriting({ answer, chosen }) })}
          />
        )}
      </ReplyView>
      {writing === undefined ? null : (
        <PlacementWriteDialog request={request} places={writing} placed={placed} leave={() => setWriting(undefined)} />
      )}
    </>
  );
}
