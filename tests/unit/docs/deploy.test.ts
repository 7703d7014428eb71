import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Service } from "kubernetes-models/v1/Service";
import { parse, parseAllDocuments } from "yaml";
import { IMAGE } from "../../../release/image.ts";

const DEPLOY = join(import.meta.dirname, "../../../docs/deploy");
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

test("every file that the Containerfile copies from the project is there", () => {
  const copied = [...read("Containerfile").matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = ""]) =>
    files.split(" "),
  );

  expect(copied.length).toBeGreaterThan(4);
  for (const file of copied) expect(existsSync(join(DEPLOY, "../..", file))).toBe(true);
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

test.each(["compose.postgres.yaml", "compose.cockroach.yaml"])("%s publishes the port and keeps the volume", (name) => {
  const { services } = parse(read(name));

  expect(services.planner.ports).toEqual([`${port}:${port}`]);
  expect(services.planner.volumes).toEqual([`planner-data:${IMAGE.directory}`]);
  expect(services.planner.build.dockerfile).toBe("docs/deploy/Containerfile");
});

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
