import { fileDesc as describeFile, type GenFile } from "@bufbuild/protobuf/codegenv2";

// Generated files import the whole library from this module.
export * from "@bufbuild/protobuf/codegenv2";

/**
 * Reads the descriptor of a proto file. Passes the imports without their own imports, because the library registers an
 * import once for each chain of imports that leads to it: with eleven files that import one another, that took half of
 * the time. Fields refer only to types of direct imports.
 */
export function fileDesc(base64: string, imports: GenFile[] = []): GenFile {
  const file = describeFile(
    base64,
    imports.map((one) => ({ ...one, dependencies: [] })),
  );
  file.dependencies.splice(0, imports.length, ...imports);
  return file;
}
