import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Service } from "kubernetes-models/v1/Service";
import { parse, parseAllDocuments } from "yaml";
import manifest from "../../../package.json" with { type: "json" };
import { IMAGE, imageName } from "../../../release/image.ts";

const ROOT = join(import.meta.dirname, "../../..");
const DEPLOY = join(ROOT, "docs/deploy");
const read = (name: string) => readFileSync(join(DEPLOY, name), "utf8");
const [user] = IMAGE.user.split(":");
const [port] = IMAGE.port.split("/");

test("the Containerfile declares the user, port, directory and variables of the image", () => {
  const text = read("Containerfile");

  expect(text).toContain(`USER ${user}`);
  expect(text).toContain(`EXPOSE ${port}`);
  expect(text).toContain(`WORKDIR ${IMAGE.directory}`);
  for (const line of IMAGE.environment) expect(text).toContain(line);
  expect(JSON.parse(/^CMD (\[.*\])$/m.exec(text)?.[1] ?? "[]")).toEqual([...IMAGE.command]);
});

/** Files of the project that the Containerfile copies, and the folder that each goes to. */
const COPIED = [...read("Containerfile").matchAll(/^COPY (?!--from)(.+) (\S+)$/gm)].flatMap(([, files = "", to = ""]) =>
  files.split(" ").map((file) => [file, to.endsWith("/") ? join(to, file.split("/").at(-1) ?? "") : to] as const),
);

// Bun's install script does not run in the container: only npm's own packages are there, as in this checkout.
test("the files that the Containerfile copies build the executable", () => {
  const folder = mkdtempSync(join(tmpdir(), "planner-container-"));
  try {
    for (const [file, to] of COPIED) cpSync(join(ROOT, file), join(folder, to), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const built = spawnSync(process.execPath, ["build.ts", "--outfile", join(folder, "made")], {
      cwd: folder,
      encoding: "utf8",
    });

    expect([built.stderr, built.status]).toEqual(["", 0]);
    expect(spawnSync(join(folder, "made"), ["--version"], { encoding: "utf8" }).stdout).toContain(manifest.version);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("engines send the files that the Containerfile copies, and no others", () => {
  const sent = readFileSync(join(ROOT, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("!"))
    .map((line) => line.slice(1));

  expect(sent.toSorted()).toEqual(COPIED.map(([file]) => file).toSorted());
  expect(sent.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test("the deploy files name the image as the release does, and publish on loopback alone", () => {
  const texts = readdirSync(DEPLOY).map((name) => [name, read(name)] as const);
  const named = texts.flatMap(([, text]) => text.match(/[\w./:-]*planner:\d[\w.]*/g) ?? []);
  const published = texts.flatMap(([, text]) => text.match(/(?:-p |ports: \[")\S+/g) ?? []);

  expect(
    new Set(named.filter((name) => !name.startsWith("registry.example.com/") && !name.startsWith("docker://"))),
  ).toEqual(new Set([imageName(manifest)]));
  expect(named.every((name) => name.endsWith(`planner:${manifest.version}`))).toBe(true);
  expect(published.length).toBeGreaterThan(2);
  for (const words of published) expect(words).toContain(`127.0.0.1:${port}:${port}`);
});

test("the Kubernetes manifest runs the image as the image runs itself", () => {
  const [deployment, service] = parseAllDocuments(read("kubernetes.yaml")).map((document) => document.toJS());
  const pod = deployment.spec.template.spec;
  const [container] = pod.containers;

  expect(pod.securityContext.runAsUser).toBe(Number(user));
  expect(pod.enableServiceLinks).toBe(false);
  expect(container.args).toEqual([...IMAGE.command]);
  expect(container.ports[0].containerPort).toBe(Number(port));
  expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  expect([container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]).toEqual([
    "/healthz",
    "/readyz",
  ]);
  expect(service.spec.ports[0].targetPort).toBe(container.ports[0].name);
});

test.each(["compose.postgres.yaml", "compose.cockroach.yaml"])(
  "%s publishes the port on loopback and keeps the volume",
  (name) => {
    const { services } = parse(read(name));

    expect(services.planner.ports).toEqual([`127.0.0.1:${port}:${port}`]);
    expect(services.planner.volumes).toEqual([`planner-data:${IMAGE.directory}`]);
    expect(services.planner.build.dockerfile).toBe("docs/deploy/Containerfile");
  },
);

const KINDS = { Deployment, Service };

function complaint(document: Record<string, unknown>): string | undefined {
  const Kind = KINDS[document["kind"] as keyof typeof KINDS] as new (data: unknown) => { validate(): void };
  try {
    new Kind(document).validate();
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** Path of every key below a value: `spec`, `spec.ports`, `spec.ports.0`, ... */
function keysBelow(value: unknown, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => [[...at, key], ...keysBelow(below, [...at, key])]);
}

test("the Kubernetes manifest keeps to the schema of its kinds, which knows every key of it", () => {
  for (const document of parseAllDocuments(read("kubernetes.yaml")).map((parsed) => parsed.toJS())) {
    expect(complaint(document)).toBeUndefined();
    for (const path of keysBelow(document).filter(([key]) => key !== "kind")) {
      const spoilt = structuredClone(document);
      const holder = path.slice(0, -1).reduce((value, key) => value[key], spoilt);
      // No field takes a list of lists: the schema stays silent only about a key that it does not know.
      holder[path.at(-1) ?? ""] = [[]];
      expect([path.join("."), complaint(spoilt) !== undefined]).toEqual([path.join("."), true]);
    }
  }
});
