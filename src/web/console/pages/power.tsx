import { refName } from "#words/names.ts";
import { useRender } from "../../shared/use_theme.ts";
import { constantOf } from "../address_words.ts";
import { useCall } from "../api/use_call.ts";
import { LOAD_BASES } from "../labels.ts";
import { linkTo, type Place, setSettings, setSubject } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { ChoiceField, Filters, Switch } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Empty, RefLink } from "../ui/parts.tsx";
import { RefField } from "../ui/ref_field.tsx";
import { Blast } from "./blast.tsx";

/** Kinds that can lose their supply or fail. */
const FAILING = [
  "SUPPLY",
  "DEVICE",
  "RACK",
  "ROW",
  "ROOM",
  "FLOOR",
  "SITE",
  "CRAC",
  "PORT",
  "CABLE",
  "FABRIC_LINK",
] as const;

export function Power({ place }: { readonly place: Place }) {
  const { subject, settings } = place;
  const more = (settings.get("and") ?? "").split(" ").filter((ref) => ref !== "");
  const on = (name: string) => settings.get(name) === "1";
  const turn = (name: string) => (value: boolean) => setSettings({ [name]: value ? "1" : "" });
  const render = useRender();
  const request = {
    source_ref: subject,
    additional_source_refs: more,
    include_protected: true,
    cascade: settings.get("cascade") !== "0",
    assume_battery: on("battery"),
    load_basis: constantOf("LOAD_BASIS", settings.get("basis") ?? ""),
    render,
  };
  return (
    <>
      <PageHead kind="What if" title={titleOf(subject, more)} />
      <Filters>
        <RefField
          label="What fails"
          placeholder="UPS-A1, AMS1-A08-A, B03"
          kinds={FAILING}
          value={subject}
          change={setSubject}
        />
        <RefField
          label="And at the same time"
          placeholder="UPS-B1"
          kinds={FAILING}
          value={more.join(" ")}
          change={(and) => setSettings({ and })}
        />
        <ChoiceField
          label="Loads by"
          value={settings.get("basis") ?? ""}
          choices={LOAD_BASES}
          change={(basis) => setSettings({ basis })}
        />
        <Switch
          label="Let overloads trip"
          on={settings.get("cascade") !== "0"}
          change={(cascade) => setSettings({ cascade: cascade ? "" : "0" })}
        />
        <Switch label="Count batteries" on={on("battery")} change={turn("battery")} />
      </Filters>
      {subject === "" ? (
        <Empty>
          Name a source above, or press “What if this fails” on the page of a device, rack or floor. For example{" "}
          <a href={linkTo("devices", "", { kind: "UPS" })}>one of the UPSes</a>.
        </Empty>
      ) : (
        <Impact key={subject} request={request} />
      )}
    </>
  );
}

function titleOf(subject: string, more: readonly string[]): string {
  if (subject === "") return "What if it fails?";
  const names = [subject, ...more].map(refName);
  return names.length === 1 ? `If ${names[0]} fails` : `If ${names.join(" and ")} fail`;
}

function Impact({ request }: { readonly request: object }) {
  const asked = useCall("PowerBlastRadius", request);
  return (
    <Answer asked={asked}>
      {(reply) =>
        reply.nodes.length === 0 ? (
          <Empty>
            Nothing can fail here: no device and no cooling unit is recorded in <RefLink to={reply.source_ref} />.
          </Empty>
        ) : (
          <Blast answer={reply} question={{ rpc: "PowerBlastRadius", request }} />
        )
      }
    </Answer>
  );
}
