import { isJsonObject, tryParseJson } from "#kernel/json_object.ts";

/** Media type of a signed payload. Source: in-toto attestation Statement v1, predicate test-result v0.1; DSSE v1. */
export const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const STATEMENT_TYPE = "https://in-toto.io/Statement/v1";
const PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1";

/** Namespace of planner's SSH signatures; git's own signatures have the namespace `git`. */
export const SIGNATURE_NAMESPACE = "planner";

export interface AttestedSubject {
  readonly name: string;
  readonly digest: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
}

export type TestResult = "PASSED" | "WARNED" | "FAILED";

/** Test results of a spec on one commit, as an in-toto statement. */
export interface AttestationStatement {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly AttestedSubject[];
  readonly predicateType: typeof PREDICATE_TYPE;
  readonly predicate: {
    readonly result: TestResult;
    readonly configuration: readonly AttestedSubject[];
    readonly passedTests: readonly string[];
    readonly warnedTests: readonly string[];
    readonly failedTests: readonly string[];
  };
}

export interface AttestationEnvelope {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly EnvelopeSignature[];
}

export interface EnvelopeSignature {
  /** Fingerprint of the key, in the form `SHA256:…`. */
  readonly keyid: string;
  /** Armoured signature of ssh-keygen in Base64. */
  readonly sig: string;
}

export function buildAttestationStatement(
  subject: AttestedSubject,
  predicate: AttestationStatement["predicate"],
): AttestationStatement {
  return { _type: STATEMENT_TYPE, subject: [subject], predicateType: PREDICATE_TYPE, predicate };
}

/** Returns the bytes to sign: DSSE's pre-authentication encoding. */
export function encodeSigningBytes(payloadType: string, payload: Uint8Array): Uint8Array {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

export interface ParsedEnvelope {
  readonly payload: Uint8Array;
  readonly statement: AttestationStatement;
  readonly signatures: readonly { readonly keyid: string; readonly armoured: string }[];
}

/**
 * Parses an envelope. Accepts only the canonical Base64 spelling, so that two different files never contain the same
 * bytes.
 * @returns the parsed envelope, or a sentence that says why the text is not an attestation of planner
 */
export function parseEnvelope(text: string): ParsedEnvelope | string {
  const envelope = tryParseJson(text);
  if (!isJsonObject(envelope)) return "it is no JSON object";
  const { payloadType, payload, signatures } = envelope;
  if (payloadType !== PAYLOAD_TYPE) return `payloadType is ${JSON.stringify(payloadType)}, expected "${PAYLOAD_TYPE}"`;
  const bytes = decodeBase64(payload);
  if (bytes === null) return "payload is no Base64";
  if (!Array.isArray(signatures)) return "signatures is no list";
  const parsedSignatures = signatures.map((one: unknown) => {
    const sig = isJsonObject(one) ? decodeBase64(one["sig"]) : null;
    return sig === null || !isJsonObject(one)
      ? null
      : { keyid: String(one["keyid"]), armoured: sig.toString("latin1") };
  });
  if (parsedSignatures.includes(null)) return "a signature has no sig in Base64";
  const statement = parseStatement(bytes);
  if (typeof statement === "string") return statement;
  return { payload: bytes, statement, signatures: parsedSignatures.filter((one) => one !== null) };
}

function parseStatement(payload: Buffer): AttestationStatement | string {
  const statement = tryParseJson(payload.toString());
  if (!isJsonObject(statement)) return "the payload is no JSON object";
  if (statement["_type"] !== STATEMENT_TYPE)
    return `_type is ${JSON.stringify(statement["_type"])}, expected "${STATEMENT_TYPE}"`;
  if (statement["predicateType"] !== PREDICATE_TYPE) {
    return `predicateType is ${JSON.stringify(statement["predicateType"])}, expected "${PREDICATE_TYPE}"`;
  }
  const { subject, predicate } = statement;
  const [first] = Array.isArray(subject) ? subject : [];
  if (!isJsonObject(first) || typeof first["name"] !== "string" || !isJsonObject(first["digest"])) {
    return "the statement has no subject";
  }
  if (!isJsonObject(predicate) || typeof predicate["result"] !== "string") return "the statement has no result";
  for (const name of ["passedTests", "warnedTests", "failedTests"]) {
    const tests = predicate[name];
    if (!Array.isArray(tests) || tests.some((test) => typeof test !== "string")) return `${name} is no list of texts`;
  }
  return statement as unknown as AttestationStatement;
}

function decodeBase64(value: unknown): Buffer | null {
  if (typeof value !== "string" || value === "") return null;
  const bytes = Buffer.from(value, "base64");
  return bytes.toString("base64") === value ? bytes : null;
}
