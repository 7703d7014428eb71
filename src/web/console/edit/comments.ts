import { useCallback, useEffect, useState } from "preact/hooks";
import { readJsonRoute } from "../api/client.ts";
import { callWithSignIn } from "../api/sign_in.ts";

type OpenApiSchemas = Readonly<
  Record<string, { readonly properties?: Readonly<Record<string, { description?: string }>> }>
>;

/** Returns the comment of a message's field in the proto files; "" until the comments are loaded. */
export type GetFieldComment = (message: string, field: string) => string;

let schemasRequest: Promise<OpenApiSchemas> | undefined;

/** Loads the comments of all fields from `/openapi.json` once, when the first form opens. */
export function useFieldComments(): GetFieldComment {
  const [schemas, setSchemas] = useState<OpenApiSchemas>({});
  useEffect(() => {
    schemasRequest ??= callWithSignIn(() =>
      readJsonRoute<{ readonly components: { readonly schemas: OpenApiSchemas } }>("/openapi.json", {}),
    ).then(
      ({ components }) => components.schemas,
      // If the request fails, the form works without comments.
      () => {
        schemasRequest = undefined;
        return {};
      },
    );
    void schemasRequest.then(setSchemas);
  }, []);
  return useCallback(
    (message, field) => schemas[`datacenter.v1.${message}`]?.properties?.[field]?.description ?? "",
    [schemas],
  );
}
