import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { DcServer, emptyFolder } from "../support/dc_server.ts";
import { http1, postJson } from "../support/http_client.ts";
import { PLANNER, runCommand, runPlanner } from "../support/planner_command.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const SERVICE = "/datacenter.v1.DatacenterService";

test("a JWT opens what its role allows, on every interface", async () => {
  const folder = emptyFolder();
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  writeFileSync(join(folder, "jwks.json"), JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: "k" }] }));
  const flags = ["--jwks", "jwks.json", "--jwt-issuer", "me", "--jwt-audience", "planner"];
  const server = await DcServer.start(folder, flags);
  const token = (roles: string[], aud = "planner") =>
    new SignJWT({ roles })
      .setProtectedHeader({ alg: "ES256", kid: "k" })
      .setSubject("anna")
      .setIssuer("me")
      .setAudience(aud)
      .setExpirationTime("5m")
      .sign(privateKey);
  const rack = { rack: { code: "R1", location: { site_id: "S", floor_number: 1 } } };
  const call = (jwt: string | undefined, path: string, body: object) =>
    postJson(server.url + path, body, jwt === undefined ? {} : { authorization: `Bearer ${jwt}` });
  try {
    const [writer, reader, other] = [await token(["writer"]), await token(["reader"]), await token(["writer"], "x")];
    const guest = await token(["owner"]);
    const query = { query: "{ searchDevices { totalCount } }" };

    const statuses = [
      await call(writer, `${SERVICE}/UpsertRack`, rack),
      await call(reader, `${SERVICE}/UpsertRack`, rack),
      await call(reader, `${SERVICE}/SearchDevices`, {}),
      await call(reader, "/graphql", query),
      await call(other, `${SERVICE}/SearchDevices`, {}),
      await call(other, "/graphql", query),
      await call(undefined, `${SERVICE}/SearchDevices`, {}),
      await call("no-jwt", `${SERVICE}/SearchDevices`, {}),
    ];
    const asGuest = [
      await call(guest, `${SERVICE}/SearchDevices`, {}),
      await call(guest, "/graphql", query),
      await call(guest, `${SERVICE}/UpsertRack`, rack),
    ];
    const byActor = async (actor: string) => {
      const headers = { authorization: `Bearer ${reader}` };
      const { text } = await http1(`${server.url}/audit/history?actor=${actor}`, { headers });
      return JSON.parse(text).entries.length;
    };
    const found = [await byActor("anna"), await byActor("jwt:anna"), await byActor("token:anna")];
    const printed = await runPlanner(["dc", "audit", "history", "actor=token:anna"], { cwd: folder });
    const history = await http1(`${server.url}/audit/history`, { headers: { authorization: `Bearer ${reader}` } });

    expect(statuses.map(({ status }) => status)).toEqual([200, 403, 200, 200, 401, 401, 401, 401]);
    expect(asGuest.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect([...found, printed.stdout]).toEqual([1, 1, 0, ""]);
    const challenges = statuses.slice(4).map(({ headers }) => headers["www-authenticate"]);
    const wrong = 'Bearer error="invalid_token"';
    expect(challenges).toEqual([wrong, wrong, "Bearer", "Bearer"]);
    expect(JSON.parse(history.text).entries[0].actor).toMatchObject({ principal: "anna", auth_method: "jwt" });
    expect(server.stderr).not.toContain("Authentication is off");
  } finally {
    await server.end();
  }
});

test("a token can have an end", async () => {
  const folder = emptyFolder();
  const dc = (...words: string[]) =>
    runCommand([...PLANNER, "dc", "token", ...words, "--tokens", "t.json"], { cwd: folder });

  const made = await dc("create", "anna", "--role", "writer", "--expires", "90d");
  const lasting = await dc("create", "bert");
  const past = await dc("create", "carl", "--expires", "2020-01-01");
  const listed = await dc("list");

  expect([made.code, lasting.code, past.code]).toEqual([0, 0, 2]);
  expect(past.stderr).toContain('Wrong value "2020-01-01" for "--expires"');
  const [anna = [], bert = []] = listed.stdout
    .trim()
    .split("\n")
    .map((line) => line.split("\t"));
  expect(anna.slice(0, 2)).toEqual(["anna", "writer"]);
  expect(Date.parse(anna[3] ?? "") - Date.parse(anna[2] ?? "")).toBe(90 * 86_400_000);
  expect(bert[3]).toBe("-");
});

test.each([
  [["--jwks", "k.json"], "--jwt-issuer"],
  [["--jwt-issuer", "x"], 'needs "--jwks <url>"'],
  [["--jwt-default-role", "none"], 'needs "--jwks <url>"'],
  [["--jwks", "k.json", "--jwt-default-role", "writer"], "reader"],
  [["--jwks", "ftp://x", "--jwt-issuer", "x", "--jwt-audience", "y"], "ftp://x"],
  [["--jwks", "none.json", "--jwt-issuer", "x", "--jwt-audience", "y"], "none.json"],
])("serve refuses %p", async (flags, why) => {
  const { code, stderr } = await runCommand([...PLANNER, "dc", "serve", "--port", "0", ...flags], {
    cwd: emptyFolder(),
  });

  expect(code).not.toBe(0);
  expect(stderr).toContain(why);
});

test("Tokens that are made and revoked at once are all kept, in a file that only its owner may read", async () => {
  const cwd = emptyFolder();
  const token = (...words: readonly string[]) => runPlanner(["dc", "token", ...words, "--tokens", "t.json"], { cwd });
  await token("create", "old");
  const names = Array.from({ length: 8 }, (_, index) => `n${index}`);

  const ends = await Promise.all([...names.map((name) => token("create", name)), token("revoke", "old")]);

  expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));
  const { stdout } = await token("list");
  expect(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split("\t")[0])
      .toSorted(),
  ).toEqual(names);
  expect(statSync(join(cwd, "t.json")).mode & 0o777).toBe(0o600);
});

describe("The health check of the image", () => {
  const containerfile = readFileSync(join(ROOT, "docs", "deploy", "Containerfile"), "utf8");
  const command: readonly string[] = JSON.parse(/^HEALTHCHECK [^[]*CMD (\[.*\])$/m.exec(containerfile)?.[1] ?? "[]");

  /** The status of the check's own command. */
  const check = async (port: string) => {
    const env = { PLANNER_DC_PORT: port };
    return (await runCommand(command, { cwd: emptyFolder(), env })).code;
  };

  test("finds a server well with and without a certificate, and one that answers nothing ill", async () => {
    const tls = join(ROOT, "tests", "fixtures", "tls");
    const plain = await DcServer.start(emptyFolder());
    const withTls = await DcServer.start(emptyFolder(), [
      ...["--tls-key", join(tls, "key.pem"), "--tls-cert", join(tls, "cert.pem")],
    ]);
    const silent = createServer((socket) => socket.destroy()).listen(0, "127.0.0.1");
    await once(silent, "listening");

    const well = await Promise.all([plain, withTls].map(({ url }) => check(new URL(url).port)));
    const ill = await check(String((silent.address() as AddressInfo).port));
    await Promise.all([plain.end(), withTls.end()]);
    silent.close();

    expect(well).toEqual([0, 0]);
    expect(ill).not.toBe(0);
  });
});
