import { describe, expect, test } from "bun:test";
import { openAgentStream } from "#planner/work/agent_stream.ts";
import { findSecretValues, SecretMask } from "#planner/work/secrets.ts";

/** Put together here, so that no scanner of secrets takes this file for a leak. */
const word = (...parts: readonly string[]): string => parts.join("");
const LONG = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7k";

function masked(text: string, values: readonly string[] = []): string {
  return new SecretMask(values).line(text);
}

describe("findSecretValues", () => {
  test.each([
    "GITHUB_TOKEN",
    "ANTHROPIC_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "SECRET_KEY_BASE",
    "PGPASSWORD",
    "npm_config__authToken",
    "DB_PASS",
    "GOOGLE_CREDENTIALS",
  ])("takes the value of %s", (name) => {
    expect(findSecretValues({ [name]: "hunter2-hunter2" })).toEqual(["hunter2-hunter2"]);
  });

  test.each(["PATH", "PWD", "MAX_TOKENS", "SSH_AUTH_SOCK", "TOKEN_FILE", "GIT_CONFIG_KEY_0", "KEYBOARD", "AUTHOR"])(
    "leaves the value of %s",
    (name) => {
      expect(findSecretValues({ [name]: "hunter2-hunter2" })).toEqual([]);
    },
  );

  test("leaves short values and words", () => {
    expect(findSecretValues({ A_TOKEN: "true", B_PASSWORD: "postgres", C_TOKEN: undefined })).toEqual([]);
  });

  test("takes the password of a URL and the lines of a longer text", () => {
    const env = { DATABASE_URL: "postgres://app:s3cret-word@db/app", KEY: "first-line-1\nsecond-line-2\n" };

    expect(findSecretValues(env)).toEqual(["s3cret-word", "first-line-1", "second-line-2"]);
  });
});

describe("SecretMask", () => {
  const VALUE = 'p4ss"word/ä+1';

  test.each([
    ["as it is", VALUE],
    ["in JSON", JSON.stringify({ a: VALUE })],
    ["in a URL", encodeURIComponent(VALUE)],
  ])("replaces a value %s", (_, text) => {
    expect(masked(`<${text}>`, [VALUE])).toBe(`<${text.replace(/p4ss.*1/, "***")}>`);
  });

  test.each(["", "u", "us"])("replaces a value in Base64 behind %j", (before) => {
    const coded = Buffer.from(`${before}${LONG}`).toString("base64");

    const kept = Buffer.from(masked(coded, [LONG]).replace("***", ""), "base64").toString();

    expect(kept.length).toBeLessThan(7);
  });

  test.each([
    word("gh", "p_", LONG),
    word("github", "_pat_", LONG),
    word("gl", "pat-", LONG),
    word("s", "k-ant-api03-", LONG),
    word("s", "k_live_", LONG),
    word("np", "m_", LONG.slice(0, 36)),
    word("h", "f_", LONG),
    word("plan", "ner_", LONG, "-_9"),
    word("xo", "xb-", LONG),
    word("AK", "IA", "IOSFODNN7ABCDEFG"),
    word("AI", "za", LONG.slice(0, 35)),
    word("ey", "J", LONG, ".ey", "J", LONG, ".", LONG),
  ])("replaces the token %s", (token) => {
    expect(masked(`is ${token}, "${token}"`)).toBe('is ***, "***"');
    expect(masked(JSON.stringify({ a: `x\n${token}\n` }))).toBe('{"a":"x\\n***\\n"}');
  });

  test("replaces what follows a scheme of authorization and the password of a URL", () => {
    expect(masked("curl -H 'Authorization: Bearer abcdefgh12' https://ann:pw-1@host:80/x")).toBe(
      "curl -H 'Authorization: Bearer ***' https://ann:***@host:80/x",
    );
  });

  test("replaces a private key in one line and in several", () => {
    const [head, tail] = ["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"];
    const lines = [head, LONG.repeat(2), LONG.slice(0, 5), tail];
    const mask = new SecretMask([]);

    expect(masked(JSON.stringify({ key: lines.join("\n") }))).toBe('{"key":"***"}');
    expect([...lines, "and more"].map((line) => mask.line(line))).toEqual([head, "***", "***", tail, "and more"]);
  });

  test.each([
    "task-with-a-name-of-20-characters",
    "the disk-usage-of-volume-0123456789",
    "look for -----BEGIN PRIVATE KEY----- in it",
    "commit 0123456789abcdef0123456789abcdef01234567",
    "https://example.org:8080/a@b",
    "eyJ is how a JWT begins",
    "export GITHUB_TOKEN=$TOKEN",
  ])("leaves %s", (text) => {
    expect(masked(text)).toBe(text);
  });
});

describe("openAgentStream with secrets", () => {
  const lines = (kind: "text" | "gemini", chunks: readonly string[], limit?: number) => {
    const stream = openAgentStream(kind, [LONG], limit);
    const begun = chunks.flatMap((chunk) => stream.push(Buffer.from(chunk)));
    const { lines: last, ...answer } = stream.end();
    return { text: [...begun, ...last].join(""), ...answer };
  };

  test("replaces one that is cut into pieces, of a line that is cut as well", () => {
    for (const at of [0, 1, 20, LONG.length - 1, LONG.length]) {
      const [before, behind] = ["x ".repeat(10_000 - at), " y".repeat(20_000)];
      const whole = `${before}${LONG}${behind}`;

      const { text, output } = lines("text", [whole.slice(0, 20_000), whole.slice(20_000)], 20_000);

      expect(text).toBe(`${before}***${behind}`);
      expect(output).toBe(`${before}***${behind}\n`);
    }
  });

  test("replaces one that an agent streams in several events", () => {
    const delta = (content: string): string =>
      `${JSON.stringify({ type: "message", role: "assistant", content, delta: true })}\n`;

    const { text, output } = lines("gemini", [delta(`it is ${LONG.slice(0, 9)}`), delta(`${LONG.slice(9)}.\nDone`)]);

    expect(text).toBe("it is ***.Done");
    expect(output).toBe("it is ***.\nDone");
  });

  test("takes a time that grows with the length alone", () => {
    const [head, tail] = ["-----BEGIN PRIVATE KEY-----", "://a:"];
    for (const piece of ["eyJ", "sk-", "-sk-", ".eyJaaaaaaaa", head, `${head}${LONG}\\\\`, tail, "+", "\\", "glpat-"]) {
      // One that looked at each piece of a long text to its end would not come back.
      expect(masked(piece.repeat(2_000_000 / piece.length))).toBeString();
    }
  }, 240_000);
});
