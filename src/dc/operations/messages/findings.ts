import type { Finding } from "#dc/model/finding.ts";
import { Severity } from "#gen/datacenter/v1/datacenter_pb.ts";

/** A finding as the message's initial value. */
export function findingInit({ severity, code, field, message, value = "", expected = "", ref = "" }: Finding) {
  return {
    severity: severity === "ERROR" ? Severity.ERROR : Severity.WARNING,
    code,
    field,
    message,
    value,
    expected,
    ref,
  };
}
