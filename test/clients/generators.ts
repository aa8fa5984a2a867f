import type { Operation } from "../../src/declare/operation.ts";

/** One call of an operation, with the input of its first example. */
export interface GeneratedCall {
  id: string;
  method: Operation<never>["method"];
  path: string;
  inPath: Record<string, string>;
  inQuery: Record<string, string>;
  /** Absent: the call has none. */
  inBody?: Record<string, string>;
  /** The document allows a body, but this call has none. */
  mayHaveBody: boolean;
}

/** A call of each operation. `known` replaces example values that must come from the service. */
export function callsOf(operations: readonly Operation<never>[], known: Record<string, string>): GeneratedCall[] {
  return operations.map(({ id, method, path, carriage, examples }) => {
    const given = Object.entries(examples[0]?.input ?? {}).map(
      ([name, value]) => [name, known[name] ?? value] as const,
    );
    const inPath = given.filter(([name]) => path.includes(`{${name}}`));
    const others = Object.fromEntries(given.filter((member) => !inPath.includes(member)));
    return {
      ...{ id, method, path, inPath: Object.fromEntries(inPath), inQuery: carriage === "body" ? {} : others },
      ...(carriage === "body" ? { inBody: others } : {}),
      mayHaveBody: carriage === "query or body" || (carriage === "body" && isEmpty(others)),
    };
  });
}

interface Generator {
  packages: string[];
  /** The generator's command with its arguments. The working folder contains `openapi.json`. */
  generate: [command: string, ...words: string[]];
  /** A program that prints the name of each operation, and whether its response is a success. */
  program(calls: readonly GeneratedCall[]): string;
}

const text = (value: unknown) => JSON.stringify(value);
const isEmpty = (value: object) => Object.keys(value).length === 0;
/** Members of an object literal, without those that are empty. */
const members = (parts: Record<string, object | undefined>) =>
  Object.entries(parts)
    .filter(([, part]) => part && !isEmpty(part))
    .map(([name, part]) => `${name}: ${text(part)}`)
    .join(", ");

const opening = `declare const process: { env: Record<string, string> };
const url = process.env.DUBA_URL!;
const authorization = \`Bearer \${process.env.DUBA_API_KEY}\`;
`;
/** Checks that our type names exist, and have the expected members. */
const names = `export const names: [keyof DataBundle, keyof IdentityRecord, keyof Failure] = ["type", "bvn_number", "error"];
`;

export const generators: Readonly<Record<string, Generator>> = {
  "openapi-typescript": {
    packages: ["openapi-typescript@7", "openapi-fetch@0"],
    generate: ["openapi-typescript", "openapi.json", "-o", "types.ts"],
    program: (calls) => `import createClient from "openapi-fetch";
import type { components, paths } from "./types";
type DataBundle = components["schemas"]["DataBundle"];
type IdentityRecord = components["schemas"]["IdentityRecord"];
type Failure = components["schemas"]["Failure"];
${opening}${names}
const client = createClient<paths>({ baseUrl: url, headers: { authorization } });
${calls
  .map(({ id, method, path, inPath, inQuery, inBody }) => {
    const params = members({ path: inPath, query: inQuery });
    const options = [params && `params: { ${params} }`, members({ body: inBody })].filter(Boolean).join(", ");
    return `console.log("${id}", (await client.${method}("${path}", { ${options} })).data?.success);`;
  })
  .join("\n")}
`,
  },
  "hey-api": {
    packages: ["@hey-api/openapi-ts@0"],
    generate: ["openapi-ts", "-i", "openapi.json", "-o", "generated", "-c", "@hey-api/client-fetch"],
    program: (calls) => `import { client } from "./generated/client.gen";
import * as api from "./generated/sdk.gen";
import type { DataBundle, Failure, IdentityRecord } from "./generated/types.gen";
${opening}${names}
client.setConfig({ baseUrl: url, headers: { authorization } });
${calls
  .map(({ id, inPath, inQuery, inBody }) => {
    const options = members({ path: inPath, query: inQuery, body: inBody });
    return `console.log("${id}", (await api.${id}({ ${options} })).data?.success);`;
  })
  .join("\n")}
`,
  },
  orval: {
    packages: ["orval@7"],
    generate: ["orval", "--input", "openapi.json", "--output", "generated.ts", "--client", "fetch"],
    program: (calls) => `import * as api from "./generated";
import type { DataBundle, Failure, IdentityRecord } from "./generated";
${opening}${names}
// Its requests have paths only.
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(url + path, init);
const options = { headers: { authorization } };
// Without a body for 304.
const print = (id: string, { status, data }: { status: number; data: unknown }) =>
  console.log(id, status === 200 && (data as { success: boolean }).success);
${calls
  .map(({ id, inPath, inQuery, inBody, mayHaveBody }) => {
    const given = [...Object.values(inPath).map(text), ...(mayHaveBody ? ["undefined"] : [])];
    for (const part of [inBody, inQuery]) if (part && !isEmpty(part)) given.push(text(part));
    return `print("${id}", await api.${id}(${[...given, "options"].join(", ")}));`;
  })
  .join("\n")}
`,
  },
};
