import { useState } from "preact/hooks";
import type { DevicePlace } from "#gen/datacenter/v1/json.ts";
import { useRender } from "../../shared/use_theme.ts";
import { canWrite, useSession } from "../api/session.ts";
import { useCall } from "../api/use_call.ts";
import { formatQuantity } from "../labels.ts";
import type { PageAddress } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { askedInputs } from "../ui/asked_input.tsx";
import { Filters } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Card, Empty, RefLink } from "../ui/parts.tsx";
import { FIRST_FIELDS, MORE_FIELDS } from "./placement_fields.ts";
import { type ChosenPlaces, PLACEMENT_RPC, type PlacementRequest, placementRequest } from "./placement_request.ts";
import { PlacementResult } from "./placement_result.tsx";
import { PlacementWrite } from "./placement_write.tsx";

/** Where equal devices fit; all of the question is in the address. */
export function Placement({ place }: { readonly place: PageAddress }) {
  const { settings } = place;
  const value = (name: string) => settings.get(name) ?? "";
  const question = placementRequest(value);
  return (
    <>
      <PageHead title="Where does it fit?" />
      <Filters>{askedInputs(FIRST_FIELDS, settings)}</Filters>
      <details class="more-fields" open={MORE_FIELDS.some(({ setting }) => value(setting) !== "")}>
        <summary>More: mounting, weight, cooling, spread, reserve</summary>
        <Filters>{askedInputs(MORE_FIELDS, settings)}</Filters>
      </details>
      {typeof question === "string" ? (
        <Empty>{question}</Empty>
      ) : (
        <Found key={JSON.stringify(question)} request={question} />
      )}
    </>
  );
}

/** The answer, until devices are placed: then these, so that the same ones are not placed twice. */
function Found({ request }: { readonly request: PlacementRequest }) {
  const [placed, setPlaced] = useState<readonly DevicePlace[]>();
  if (placed !== undefined) return <Placed places={placed} askAgain={() => setPlaced(undefined)} />;
  return <Places request={request} placed={setPlaced} />;
}

function Placed({ places, askAgain }: { readonly places: readonly DevicePlace[]; readonly askAgain: () => void }) {
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

function Places({
  request,
  placed,
}: {
  readonly request: PlacementRequest;
  readonly placed: (places: readonly DevicePlace[]) => void;
}) {
  const asked = useCall(PLACEMENT_RPC, { ...request, render: useRender() });
  const session = useSession();
  const [writing, setWriting] = useState<ChosenPlaces>();
  return (
    <>
      <Answer asked={asked}>
        {(answer) => (
          <PlacementResult
            answer={answer}
            question={{ rpc: PLACEMENT_RPC, request }}
            {...(canWrite(session.reply) && { write: (chosen) => setWriting({ answer, chosen }) })}
          />
        )}
      </Answer>
      {writing === undefined ? null : (
        <PlacementWrite request={request} places={writing} placed={placed} leave={() => setWriting(undefined)} />
      )}
    </>
  );
}
