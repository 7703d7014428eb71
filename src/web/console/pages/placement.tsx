import { useState } from "preact/hooks";
import { mayWrite, useSession } from "../api/session.ts";
import { useCall } from "../api/use_call.ts";
import { type Place, setSettings } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, Filters, Switch, TextField } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Empty } from "../ui/parts.tsx";
import { useRender } from "../ui/use_theme.ts";
import { PLACEMENT_RPC, type PlacementAnswer, type PlacementRequest, placementRequest } from "./placement_request.ts";
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
        <TextField label="Like device" placeholder="code of a device" {...field("like")} />
        <TextField label="Device type" placeholder="code of a type" {...field("type")} />
        <TextField label="Height, U" placeholder="2" {...field("height")} />
        <TextField label="Draw, W" placeholder="800" {...field("draw")} />
        <TextField label="Weight, kg" placeholder="not known" {...field("weight")} />
        <ChoiceField label="Supply" choices={SUPPLIES} {...field("supply")} />
        <TextField label="Ports" placeholder="2x25G" {...field("ports")} />
        <ChoiceField label="Cooling" choices={COOLINGS} {...field("cooling")} />
        <TextField label="Keep free, %" placeholder="0" {...field("headroom")} />
        <TextField label="Scope" placeholder="row:<site>/<n>/<row>, rack:…" {...field("scope")} />
        <TextField label="Tenant" placeholder="any" {...field("tenant")} />
        <TextField label="New codes begin with" placeholder="NEW" {...field("prefix")} />
        <Switch
          label="Use supplies with warnings"
          on={value("warnings") === "1"}
          change={(on) => setSettings({ warnings: on ? "1" : "" })}
        />
      </Filters>
      {typeof question === "string" ? <Empty>{question}</Empty> : <Found request={question} />}
    </>
  );
}

const SUPPLIES = [
  ["", "as the device demands"],
  ["N", "one feed"],
  ["N_PLUS_1", "one inlet more than needed"],
  ["TWO_N", "both feeds"],
] as const;

const COOLINGS = [
  ["", "as the device says, else air"],
  ["AIR", "air"],
  ["LIQUID", "liquid"],
  ["IMMERSION", "immersion"],
] as const;

function Found({ request }: { readonly request: PlacementRequest }) {
  const asked = useCall<PlacementAnswer>(PLACEMENT_RPC, { ...request, render: useRender() });
  const session = useSession();
  const [writing, setWriting] = useState<PlacementAnswer>();
  return (
    <>
      <Answer asked={asked}>
        {(answer) => (
          <PlacementResult
            answer={answer}
            question={{ rpc: PLACEMENT_RPC, request }}
            {...(mayWrite(session.reply) && { write: () => setWriting(answer) })}
          />
        )}
      </Answer>
      {writing === undefined ? null : (
        <PlacementWrite request={request} answer={writing} leave={() => setWriting(undefined)} />
      )}
    </>
  );
}
