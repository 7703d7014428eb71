import { getRefName } from "#words/names.ts";
import { useRender } from "../../shared/use_theme.ts";
import { useCall } from "../api/use_call.ts";
import { changeSettings, changeSubject, formatPageUrl, type PageAddress } from "../router.ts";
import { Answer } from "../ui/answer.tsx";
import { askedInputs } from "../ui/asked_input.tsx";
import { Filters } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { Empty, RefLink } from "../ui/parts.tsx";
import { RefField } from "../ui/ref_field.tsx";
import { Blast } from "./blast.tsx";
import { askedRequest } from "./placement_request.ts";
import { POWER_FIELDS } from "./rehearsal_fields.ts";

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

export function Power({ place }: { readonly place: PageAddress }) {
  const { subject, settings } = place;
  const more = (settings.get("and") ?? "").split(" ").filter((ref) => ref !== "");
  const render = useRender();
  const request = {
    source_ref: subject,
    additional_source_refs: more,
    include_protected: true,
    ...askedRequest(POWER_FIELDS, settings),
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
          change={changeSubject}
        />
        <RefField
          label="And at the same time"
          placeholder="UPS-B1"
          kinds={FAILING}
          value={more.join(" ")}
          change={(and) => changeSettings({ and })}
        />
        {askedInputs(POWER_FIELDS, settings)}
      </Filters>
      {subject === "" ? (
        <Empty>
          Name a source above, or press “What if this fails” on the page of a device, rack or floor. For example{" "}
          <a href={formatPageUrl("devices", "", { kind: "UPS" })}>one of the UPSes</a>.
        </Empty>
      ) : (
        <Impact key={subject} request={request} />
      )}
    </>
  );
}

function titleOf(subject: string, more: readonly string[]): string {
  if (subject === "") return "What if it fails?";
  const names = [subject, ...more].map(getRefName);
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
