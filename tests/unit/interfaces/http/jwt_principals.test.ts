import { afterEach, expect, test } from "bun:test";
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { extractJwt, JwtVerifier } from "#interfaces/http/jwt_principals.ts";

const ISSUER = "https://issuer.example";
const AUDIENCE = "planner";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

interface Signer {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
  readonly jwk: JWK;
}

async function signer(kid: string, alg = "ES256"): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg } };
}

function token(by: Signer, claims: JWTPayload = {}, header: { kid?: string } = {}): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ sub: "anna", roles: ["writer"], iss: ISSUER, aud: AUDIENCE, exp: now + 60, ...claims })
    .setProtectedHeader({ alg: by.alg, kid: by.kid, ...header })
    .sign(by.privateKey);
}

/** A server of keys that can be changed, broken and counted. */
async function keyServer(...keys: JWK[]) {
  const state = { keys, body: undefined as string | undefined, asked: 0 };
  const server = createServer((_, response) => {
    state.asked += 1;
    response.setHeader("content-type", "application/json");
    response.end(state.body ?? JSON.stringify({ keys: state.keys }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { state, jwks: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json` };
}

const open = (jwks: string, rolesClaim = "roles", say: (message: string) => void = () => {}) =>
  JwtVerifier.open({ jwks, issuer: ISSUER, audience: AUDIENCE, rolesClaim, defaultRole: "reader" }, say);

test.each(["ES256", "RS256", "PS384", "EdDSA"])("knows who calls by a token signed with %s", async (alg) => {
  const key = await signer("k1", alg);
  const { jwks, state } = await keyServer(key.jwk);
  const jwts = await open(jwks);

  const found = [
    await jwts.findPrincipal(await token(key)),
    await jwts.findPrincipal(await token(key, { sub: "bert", roles: "reader x" })),
  ];

  expect(found).toEqual([
    { name: "anna", roles: ["writer"], authMethod: "jwt" },
    { name: "bert", roles: ["reader"], authMethod: "jwt" },
  ]);
  expect(state.asked).toBe(1);
});

test.each([
  ["realm_access.roles", { realm_access: { roles: ["admin"] } }],
  ["https://planner.example/roles", { "https://planner.example/roles": ["admin"] }],
])("finds roles in the claim %s", async (claim, claims) => {
  const key = await signer("k1");
  const { jwks } = await keyServer(key.jwk);

  expect(
    await (await open(jwks, claim)).findPrincipal(await token(key, { ...claims, roles: ["reader"] })),
  ).toMatchObject({
    roles: ["admin"],
  });
});

const past = Math.floor(Date.now() / 1000) - 3600;
test.each([
  ["expired", { exp: past }, "unauthenticated", "expired"],
  ["without an end", { exp: undefined }, "unauthenticated", '"exp"'],
  ["not valid yet", { nbf: past + 7200 }, "unauthenticated", '"nbf"'],
  ["of another issuer", { iss: "https://other.example" }, "unauthenticated", '"iss"'],
  ["for another service", { aud: "billing" }, "unauthenticated", '"aud"'],
  ["of nobody", { sub: undefined }, "unauthenticated", '"sub"'],
  ["of a number", { sub: 7 as never }, "unauthenticated", '"sub"'],
  ["of an object", { sub: { toString: "anna" } as never }, "unauthenticated", '"sub"'],
  ["of a name with a line break", { sub: "anna\nadmin" }, "unauthenticated", '"sub"'],
  ["of a name that turns text around", { sub: "a\u202eb" }, "unauthenticated", '"sub"'],
  ["of a name with half a character", { sub: "a\ud800" }, "unauthenticated", '"sub"'],
  ["of a name of 257 characters", { sub: "a".repeat(257) }, "unauthenticated", '"sub"'],
])("refuses a token %s", async (_, claims, kind, why) => {
  const key = await signer("k1");
  const { jwks } = await keyServer(key.jwk);

  const refusal = (await open(jwks)).findPrincipal(await token(key, claims as JWTPayload));

  await expect(refusal).rejects.toMatchObject({ kind, message: expect.stringContaining(why) });
});

test.each([
  ["other roles", { roles: ["owner"] }],
  ["no roles", { roles: [] }],
  ["no claim of roles", { roles: undefined }],
  ["a claim of roles that is no list", { roles: { writer: true } }],
])("a token with %s reads, unless a default role is refused", async (_, claims) => {
  const key = await signer("k1");
  const { jwks } = await keyServer(key.jwk);
  const jwt = await token(key, claims as JWTPayload);
  const common = { jwks, issuer: ISSUER, audience: AUDIENCE, rolesClaim: "roles" };
  const strict = await JwtVerifier.open({ ...common, defaultRole: undefined }, () => {});

  expect(await (await open(jwks)).findPrincipal(jwt)).toEqual({ name: "anna", roles: ["reader"], authMethod: "jwt" });
  await expect(strict.findPrincipal(jwt)).rejects.toMatchObject({
    kind: "permission_denied",
    message: expect.stringContaining('claim "roles"'),
  });
});

test("takes a token whose end is within the clocks' difference", async () => {
  const key = await signer("k1");
  const { jwks } = await keyServer(key.jwk);

  const late = await token(key, { exp: Math.floor(Date.now() / 1000) - 10 });

  expect((await (await open(jwks)).findPrincipal(late)).name).toBe("anna");
});

test("refuses what is not signed by the issuer's key, whatever the header says", async () => {
  const [rsa, stranger] = [await signer("k1", "RS256"), await signer("k1", "RS256")];
  const { jwks } = await keyServer(rsa.jwk);
  const jwts = await open(jwks);
  const claims = { sub: "eve", roles: ["admin"], iss: ISSUER, aud: AUDIENCE, exp: Math.floor(Date.now() / 1000) + 60 };
  const none = new UnsecuredJWT(claims).encode();
  const publicText = new TextEncoder().encode(await exportSPKI(rsa.publicKey));
  const hmac = await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "k1" }).sign(publicText);
  const [head = "", body = ""] = (await token(rsa)).split(".");
  const forged = [none, hmac, await token(stranger), `${head}.${body}.AAAA`, await token(rsa, {}, { kid: "k9" })];

  for (const one of forged) await expect(jwts.findPrincipal(one)).rejects.toMatchObject({ kind: "unauthenticated" });
});

test("knows each of several keys, and does not ask anew for every unknown one", async () => {
  const [old, fresh] = [await signer("old"), await signer("fresh")];
  const { jwks, state } = await keyServer(old.jwk, fresh.jwk);
  const jwts = await open(jwks);
  await jwts.findPrincipal(await token(old));
  await jwts.findPrincipal(await token(fresh));

  for (let turn = 0; turn < 5; turn += 1) {
    await expect(jwts.findPrincipal(await token(fresh, {}, { kid: `x${turn}` }))).rejects.toMatchObject({
      kind: "unauthenticated",
    });
  }

  expect(state.asked).toBe(1);
});

test.each([
  ["no JSON", "<html>"],
  ["too much", JSON.stringify({ keys: [], pad: "x".repeat(300_000) })],
])("blames the server of keys, not the token, for %s", async (_, body) => {
  const key = await signer("k1");
  const { jwks, state } = await keyServer(key.jwk);
  state.body = body;
  const said: string[] = [];
  const jwts = await open(jwks, "roles", (message) => said.push(message));

  await expect(jwts.findPrincipal(await token(key))).rejects.toMatchObject({ kind: "unavailable" });
  await expect(jwts.findPrincipal(await token(key))).rejects.toMatchObject({ kind: "unavailable" });

  state.body = undefined;
  expect((await jwts.findPrincipal(await token(key))).name).toBe("anna");
  expect(said.map((line) => line.replace(/: .*;/, ": …;"))).toEqual([
    `Cannot get the key set ${jwks}: …; JWTs are rejected until it is available`,
    `The key set ${jwks} is available again`,
  ]);
});

test("rejects a JWT of a key that is too short, and says so once", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  const file = join(mkdtempSync(join(tmpdir(), "planner-jwks-")), "jwks.json");
  writeFileSync(
    file,
    JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "short", alg: "RS256" }] }),
  );
  const said: string[] = [];
  const jwts = await open(file, "roles", (message) => said.push(message));
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    iss: ISSUER,
    aud: AUDIENCE,
    sub: "anna",
    roles: ["reader"],
    exp: Math.floor(Date.now() / 1000) + 600,
  };
  const text = `${part({ alg: "RS256", kid: "short" })}.${part(claims)}`;
  const jwt = `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;

  await expect(jwts.findPrincipal(jwt)).rejects.toMatchObject({ kind: "unauthenticated" });
  await expect(jwts.findPrincipal(jwt)).rejects.toMatchObject({ kind: "unauthenticated" });

  expect(said).toEqual([expect.stringContaining("cannot be used")]);
});

test("follows a file of keys", async () => {
  const [old, fresh] = [await signer("old"), await signer("fresh")];
  const file = join(mkdtempSync(join(tmpdir(), "planner-jwks-")), "jwks.json");
  writeFileSync(file, JSON.stringify({ keys: [old.jwk] }));
  const jwts = await open(file);
  expect((await jwts.findPrincipal(await token(old))).name).toBe("anna");

  writeFileSync(file, JSON.stringify({ keys: [fresh.jwk] }));
  utimesSync(file, new Date(), new Date(Date.now() + 5000));
  // A look at the file holds for a second.
  const until = Date.now() + 10_000;
  const isKnown = async (one: Signer) =>
    jwts.findPrincipal(await token(one)).then(
      () => true,
      () => false,
    );
  while (!(await isKnown(fresh)) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));

  expect([await isKnown(fresh), await isKnown(old)]).toEqual([true, false]);
});

test("takes no file with a secret key in it", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "planner-jwks-")), "jwks.json");
  writeFileSync(file, JSON.stringify({ keys: [{ kty: "oct", k: "c2VjcmV0" }] }));

  await expect(open(file)).rejects.toThrow("secret key");
});

test("tells a JWT from a token of the file", () => {
  expect([extractJwt("Bearer a.b.c"), extractJwt("Bearer abc"), extractJwt("Basic a.b.c"), extractJwt(null)]).toEqual([
    "a.b.c",
    undefined,
    undefined,
    undefined,
  ]);
});
