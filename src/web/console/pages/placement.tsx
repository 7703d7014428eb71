import { useState } from "preact/hooks";
import type { DevicePlace } from "#gen/datacenter/v1/json.ts";
import { BASIS_WORDS } from "#words/names.ts";
import { useRender } from "../../shared/use_theme.ts";
import { mayWrite, useSession } from "../api/session.ts";
import { useCall } from "../api/use_call.ts";
import { counted } from "../labels.ts";
import { type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, Filters, Switch, TextField } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Card, Empty, RefLink } from "../ui/parts.tsx";
import { RefField } from "../ui/ref_field.tsx";
import { type ChosenPlaces, PLACEMENT_RPC, type PlacementRequest, placementRequest } from "./placement_request.ts";
import { PlacementResult } from "./placement_result.tsx";
import { PlacementWrite } from "./placement_write.tsx";

/** Where equal devices fit; all of the question is in the address. */
export function Placement({ place }: { readonly place: Place }) {
  const { settings } = place;
  const value = (name: string) => settings.get(name) ?? "";
  const field = (name: string) => ({
    value: value(name),
    change: (text: string) => setSettings({ [name]: text }),
  });
  const question = placementRequest(value);
  return (
    <>
      <PageHead title="Where does it fit?" />
      <Filters>
        <TextField label="Count" placeholder="1" {...field("count")} />
        <RefField label="Device type" kinds={["DEVICE_TYPE"]} placeholder="code of a type" {...field("type")} />
        <RefField label="Like device" kinds={["DEVICE"]} placeholder="code of a device" {...field("like")} />
        <TextField label="Height, U" placeholder="2" {...field("height")} />
        <TextField label="Draw, W" placeholder="800" {...field("draw")} />
        <ChoiceField label="Supply" choices={SUPPLIES} {...field("supply")} />
        <TextField label="Ports" placeholder="2x25G, 1x1000base-t" {...field("ports")} />
        <RefField label="Scope" kinds={SCOPES} placeholder="everywhere" {...field("scope")} />
      </Filters>
      <MoreFields field={field} isOpen={MORE.some((name) => value(name) !== "")} />
      {typeof question === "string" ? (
        <Empty>{question}</Empty>
      ) : (
        <Found key={JSON.stringify(question)} request={question} />
      )}
    </>
  );
}

type Field = (name: string) => { readonly value: string; readonly change: (text: string) => void };

/** Settings of the fields below `More`. */
const MORE = "face depth weight basis inlets cooling liquid spread headroom tenant prefix warnings".split(" ");

/** What is asked for less often. */
function MoreFields({ field, isOpen }: { readonly field: Field; readonly isOpen: boolean }) {
  const warnings = field("warnings");
  return (
    <details class="more-fields" open={isOpen}>
      <summary>More: mounting, weight, cooling, spread, reserve</summary>
      <Filters>
        <ChoiceField label="Face" choices={FACES} {...field("face")} />
        <ChoiceField label="Depth" choices={DEPTHS} {...field("depth")} />
        <TextField label="Weight, kg" placeholder="not known" {...field("weight")} />
        <ChoiceField label="Draw is" choices={BASES} {...field("basis")} />
        <TextField label="Inlets" placeholder="as the supply needs" {...field("inlets")} />
        <ChoiceField label="Cooling" choices={COOLINGS} {...field("cooling")} />
        <TextField label="Of it in liquid, %" placeholder="only for hybrid" {...field("liquid")} />
        <ChoiceField label="Spread over" choices={SPREADS} {...field("spread")} />
        <TextField label="Keep free, %" placeholder="0" {...field("headroom")} />
        <TextField label="Tenant" placeholder="any" {...field("tenant")} />
        <TextField label="New codes begin with" placeholder="NEW" {...field("prefix")} />
        <Switch
          label="Use supplies with warnings"
          on={warnings.value === "1"}
          change={(on) => warnings.change(on ? "1" : "")}
        />
      </Filters>
    </details>
  );
}

const SCOPES = ["SITE", "FLOOR", "ROOM", "ROW", "RACK"];

const FACES = [
  ["", "as the device says, else front"],
  ["front", "front"],
  ["rear", "rear"],
] as const;

const DEPTHS = [
  ["", "as the device says, else full"],
  ["full", "full"],
  ["half", "half"],
] as const;

const BASES = [
  ["", BASIS_WORDS.ALLOCATED],
  ["max", BASIS_WORDS.MAX],
  ["measured", BASIS_WORDS.MEASURED],
] as const;

const SPREADS = [
  ["", "racks, rows, feeds"],
  ["row|rack|feed", "rows first"],
  ["feed|rack|row", "feeds first"],
] as const;

const SUPPLIES = [
  ["", "as demanded"],
  ["n", "one feed"],
  ["n-plus-1", "one inlet more than needed"],
  ["two-n", "both feeds"],
] as const;

const COOLINGS = [
  ["", "as the device says, else air"],
  ["air", "air"],
  ["liquid", "liquid"],
  ["hybrid", "air and liquid"],
  ["immersion", "immersion"],
] as const;

/** The answer, until devices are placed: then these, so that the same ones are not placed twice. */
function Found({ request }: { readonly request: PlacementRequest }) {
  const [placed, setPlaced] = useState<readonly DevicePlace[]>();
  if (placed !== undefined) return <Placed places={placed} askAgain={() => setPlaced(undefined)} />;
  return <Places request={request} placed={setPlaced} />;
}

function Placed({ places, askAgain }: { readonly places: readonly DevicePlace[]; readonly askAgain: () => void }) {
  return (
    <Card title={`Placed ${counted(places.length, "device")}`}>
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
            {...(mayWrite(session.reply) && { write: (chosen) => setWriting({ answer, chosen }) })}
          />
        )}
      </Answer>
      {writing === undefined ? null : (
        <PlacementWrite request={request} places={writing} placed={placed} leave={() => setWriting(undefined)} />
      )}
    </>
  );
}
