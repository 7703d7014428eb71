import { getRefName } from "#words/names.ts";
import { useRenderOptions } from "../../shared/use_theme.ts";
import { useCall } from "../api/use_call.ts";
import { FAILABLE_KINDS } from "../named_refs.ts";
import { changeSettings, changeSubject, formatPageUrl, type PageAddress } from "../router.ts";
import { ReplyView } from "../ui/answer.tsx";
import { renderFieldInputs } from "../ui/asked_input.tsx";
import { FilterRow } from "../ui/fields.tsx";
import { PageHead } from "../ui/page.tsx";
import { EmptyText, RefLink } from "../ui/parts.tsx";
import { RefField } from "../ui/ref_field.tsx";
import { BlastRadius } from "./blast.tsx";
import { createRequestFromSettings } from "./placement_request.ts";
import { POWER_FIELDS } from "./rehearsal_fields.ts";

/** Kinds of elements that can fail or lose their supply. */

export function PowerPage({ place }: { readonly place: PageAddress }) {
  const { subject, settings } = place;
  const more = (settings.get("and") ?? "").split(" ").filter((ref) => ref !== "");
  const render = useRenderOptions();
  const request = {
    source_ref: subject,
    additional_source_refs: more,
    include_protected: true,
    ...createRequestFromSettings(POWER_FIELDS, settings),
    render,
  };
  return (
    <>
      <PageHead kind="What if" title={formatFailureTitle(subject, more)} />
      <FilterRow>
        <RefField
          label="What fails"
          placeholder="UPS-A1, AMS1-A08-A, B03"
          kinds={FAILABLE_KINDS}
          value={subject}
          change={changeSubject}
        />
        <RefField
          label="And at the same time"
          placeholder="UPS-B1"
          kinds={FAILABLE_KINDS}
          value={more.join(" ")}
          change={(and) => changeSettings({ and })}
        />
        {renderFieldInputs(POWER_FIELDS, settings)}
      </FilterRow>
      {subject === "" ? (
        <EmptyText>
          Name a source above, or press “What if this fails” on the page of a device, rack or floor. For example{" "}
          <a href={formatPageUrl("devices", "", { kind: "UPS" })}>one of the UPSes</a>.
        </EmptyText>
      ) : (
        <FailureImpact key={subject} request={request} />
      )}
    </>
  );
}

function formatFailureTitle(subject: string, more: readonly string[]): string {
  if (subject === "") return "What if it fails?";
  const names = [subject, ...more].map(getRefName);
  return names.length === 1 ? `If ${names[0]} fails` : `If ${names.join(" and ")} fail`;
}

function FailureImpact({ request }: { readonly request: object }) {
  const asked = useCall("PowerBlastRadius", request);
  return (
    <ReplyView asked={asked}>
      {(reply) =>
        reply.nodes.length === 0 ? (
          <EmptyText>
            Nothing can fail here: no device and no cooling unit is recorded in <RefLink to={reply.source_ref} />.
          </EmptyText>
        ) : (
          <BlastRadius answer={reply} question={{ rpc: "PowerBlastRadius", request }} />
        )
      }
    </ReplyView>
  );
}
