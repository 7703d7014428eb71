import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { emptyFolder } from "../support/dc_server.ts";
import { endAfterTest, serveDc } from "../support/end_after_test.ts";
import { callRpc, http1, putRack } from "../support/http_client.ts";
import { runPlanner } from "../support/planner_command.ts";

const TLS = join(import.meta.dirname, "..", "fixtures", "tls");

const start = (flags: readonly string[] = [], folder = emptyFolder()) => serveDc(folder, flags);

describe("planner dc serve", () => {
  test("starts on an empty folder and says that it asks for no token", async () => {
    const server = await start();

    const { status } = await http1(`${server.url}/readyz`);
    server.child.kill("SIGTERM");
    await server.ended;

    expect(server.url).toStartWith("http://127.0.0.1:");
    expect(status).toBe(200);
    expect(server.stderr).toContain("Authentication is off");
    expect(server.stderr).toMatch(/^planner \S+ \(.*\), port 0 \(--port\)\n/);
  });

  test("shares its file with another server: both write, and each reads what the other wrote", async () => {
    const folder = emptyFolder();
    const [one, two] = [await start([], folder), await start([], folder)];
    const codes = Array.from({ length: 10 }, (_, index) => `R${index}`);

    const written = await Promise.all(codes.map((code, index) => putRack((index % 2 === 0 ? one : two).url, code)));
    const read = await Promise.all(
      codes.map((code, index) => callRpc((index % 2 === 0 ? two : one).url, "GetRack", { code })),
    );
    const verified = await runPlanner(["dc", "audit", "verify"], { cwd: folder });

    expect(new Set([...written, ...read].map(({ status }) => status))).toEqual(new Set([200]));
    expect(verified.stdout).toStartWith("10 entries, unbroken");
  });

  test("refuses a key and a certificate that are none, and a file of another program", async () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, "junk.pem"), "junk");
    const serve = (...flags: string[]) => runPlanner(["dc", "serve", "--port", "0", ...flags], { cwd: folder });

    const noKey = await serve("--tls-key", "junk.pem", "--tls-cert", join(TLS, "cert.pem"));
    const noCertificate = await serve("--tls-key", join(TLS, "key.pem"), "--tls-cert", "junk.pem");
    const others = await serve("--tls-key", join(TLS, "renewed_key.pem"), "--tls-cert", join(TLS, "cert.pem"));
    const noDatabase = await serve("--db", "junk.pem");

    expect([noKey.code, noCertificate.code, others.code, noDatabase.code]).toEqual([2, 2, 2, 1]);
    expect(noKey.stderr).toContain('junk.pem" holds no private key in PEM');
    expect(noCertificate.stderr).toContain('junk.pem" holds no certificate in PEM');
    expect(others.stderr).toContain("is not the key of the certificate");
    expect(noDatabase.stderr).toContain(`junk.pem": file is not a database`);
  });

  test("serves metrics of what was called", async () => {
    const server = await start();
    await putRack(server.url, "no/slash");

    const { text } = await http1(`${server.url}/metrics`);

    expect(text).toContain('planner_dc_calls_total{method="UpsertRack",interface="REST",outcome="invalid_argument"} 1');
    expect(text).toMatch(/\nprocess_resident_memory_bytes [1-9]\d+\n/);
    expect(text).toContain("\nplanner_dc_database_up 1\n");
    expect(text).toContain("\nplanner_dc_revision 0\n");
  });

  test("serves TLS beside cleartext if both are wanted", async () => {
    const tls = ["--tls-key", join(TLS, "key.pem"), "--tls-cert", join(TLS, "cert.pem"), "--cleartext"];
    const server = await start(tls);

    const secure = await http1(`${server.url}/healthz`);
    const clear = await http1(`${server.url.replace("https:", "http:")}/healthz`);

    expect(server.url).toStartWith("https://");
    expect([secure.status, clear.status]).toEqual([200, 200]);
  });
});

describe("planner dc serve with tokens", () => {
  const token = async (folder: string, ...words: string[]) =>
    runPlanner(["dc", "token", ...words, "--tokens", "tokens.json"], { cwd: folder });

  test("lists and revokes tokens", async () => {
    const folder = emptyFolder();
    const made = await token(folder, "create", "anna", "--role", "admin");
    const kept = readFileSync(join(folder, "tokens.json"), "utf8");

    const twice = await token(folder, "create", "anna");
    const listed = await token(folder, "list");
    const revoked = await token(folder, "revoke", "anna");
    const unknown = await token(folder, "revoke", "anna");

    expect(kept).not.toContain(made.stdout.trim());
    expect(twice.code).toBe(1);
    expect(listed.stdout).toMatch(/^anna\tadmin\t\d{4}-/);
    expect([revoked.code, unknown.code]).toEqual([0, 1]);
    expect((await token(folder, "list")).stdout).toBe("");
  });
});

describe("planner dc refuses", () => {
  for (const [what, words, message] of [
    ["to listen for others without tokens", ["serve", "--host", "0.0.0.0"], 'needs "--tokens <file>"'],
    ["--insecure beside --tokens", ["serve", "--insecure", "--tokens", "t.json"], "exclude each other"],
    ["a database that it cannot open", ["serve", "--db", "mysql://localhost/x"], 'of kind "mysql"'],
    ["a port that is none", ["serve", "--port", "70000"], "expected a whole number from 0 to 65535"],
    ["half a certificate", ["serve", "--tls-key", "key.pem"], '"--tls-key" needs "--tls-cert <file>"'],
    ["a flag of another action", ["export", "--port", "1"], 'Unknown flag "--port"'],
    ["words too many", ["serve", "now"], 'Unexpected argument "now"'],
    ["to import nothing", ["import"], "Missing argument"],
    ["to keep tokens nowhere", ["token", "list"], 'Missing "--tokens <file>"'],
    [
      "an unknown verb",
      ["token", "make", "anna", "--tokens", "t.json"],
      'Unknown command "dc token make": expected one of create, list, revoke',
    ],
  ] as const) {
    test(`${what}, with status 2`, async () => {
      const { code, stderr } = await runPlanner(["dc", ...words], { cwd: emptyFolder() });

      expect(stderr).toContain(message);
      expect(code).toBe(2);
    });
  }

  test("a token file that is not there, with status 1", async () => {
    const { code, stderr } = await runPlanner(["dc", "serve", "--tokens", "none.json"], { cwd: emptyFolder() });

    expect(stderr).toContain("none.json");
    expect(code).toBe(1);
  });

  test("a port that is taken, with status 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    endAfterTest(() => other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const port = String((other.address() as { readonly port: number }).port);

    const { code, stderr } = await runPlanner(["dc", "serve", "--port", port], { cwd: emptyFolder() });

    expect(stderr).toContain("another program listens there");
    expect(code).toBe(1);
  });
});
