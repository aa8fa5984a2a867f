import { declaredCopier } from "../../../../declare/answers/answer-writer.ts";
import Type, { type Static, type TSchema } from "../../../../declare/schema/type.ts";
import { declaredList, type ListName, listNames } from "../../../../lists/index.ts";
import type { Log } from "../../../../runtime/log.ts";
import { responseParser } from "../../../../vendors/responses/parse-response.ts";

const success = Type.Literal(true);
/** An entry of any list, in the server's form. */
export type Entry = Readonly<Record<string, string | number>>;

/** Lists as the server gives them. */
export type GivenLists = Partial<Record<ListName, readonly Entry[]>>;

/** A changed entry: `old` is null for a new entry, `new` for a removed one. A change of own prices has no entry. */
export type ListedChange = { list: ListName; old: Entry | null; new: Entry | null } | { list: "prices" };

/** Whether a body says, in the way of servers of this family, that there is no such path. */
export function saysNoPath(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: { code?: unknown } | null };
  return error?.code === "route_not_found" || error?.code === "not_offered";
}

const orNull = (entry: TSchema) => Type.Union([Type.Null(), entry]);
const changes = listNames.map((list) => {
  const entry = orNull(declaredList(list).sourceEntry);
  return Type.Object({ list: Type.Literal(list), old: entry, new: entry });
});

/** A page of the change feed. */
const Changes = Type.Object({
  success,
  data: Type.Array(Type.Union([Type.Object({ list: Type.Literal("prices") }), ...changes])),
  next: Type.String({ pattern: "^[!-~]{1,200}$" }),
  more: Type.Boolean(),
});

/** Readers of a server's good responses. Those of lists drop members that the interface does not have. */
export function catalogueReaders(vendor: string, log: Log) {
  const reader = <Schema extends TSchema>(schema: Schema) => {
    const parse = responseParser(vendor, schema, log);
    const copy = declaredCopier(schema);
    return (body: unknown) => {
      const response = parse(body);
      return response === undefined ? undefined : (copy(response) as Static<Schema>);
    };
  };
  const entriesReader = (list: ListName) => {
    const { sourceEntry, served } = declaredList(list);
    const [first = "", ...inner] = served.entries;
    const below = inner.reduceRight<TSchema>(
      (schema, name) => Type.Object({ [name]: schema }),
      Type.Array(sourceEntry),
    );
    const read = reader(Type.Object({ success, [first]: below }));
    return (body: unknown) => {
      let found: unknown = read(body);
      for (const name of served.entries) found = (found as Record<string, unknown> | undefined)?.[name];
      return found as Entry[] | undefined;
    };
  };
  const page = responseParser(vendor, Changes, log);
  return {
    entriesOf: Object.fromEntries(listNames.map((list) => [list, entriesReader(list)])) as Record<
      ListName,
      ReturnType<typeof entriesReader>
    >,
    changes: (body: unknown) => page(body) as { data: ListedChange[]; next: string; more: boolean } | undefined,
  };
}
