import { declaredCopier } from "../../declare/answers/answer-writer.ts";
import Type, { type Static, type TSchema } from "../../declare/schema/type.ts";
import type { Log } from "../../runtime/log.ts";
import { catalogueEntries, type PulledList } from "../ports/catalogue-source.ts";
import { responseParser } from "../responses/parse-response.ts";

const success = Type.Literal(true);
const { "data-providers": Biller, "data-bundles": Bundle, "corporate-bundles": CorporateBundle } = catalogueEntries;
const { "cable-products": Plan, "cable-add-ons": AddOn } = catalogueEntries;

type Entry = Readonly<Record<string, string | number>>;

/** A changed entry: `old` is null if the entry is new, `new` if it was removed. A change of own prices has no entry. */
export type ListedChange = { list: PulledList; old: Entry | null; new: Entry | null } | { list: "prices" };

/** What a server of this family says of a path that it does not have. */
export function saysNoPath(body: unknown): boolean {
  const { error } = (body ?? {}) as { error?: { code?: unknown } | null };
  return error?.code === "route_not_found" || error?.code === "not_offered";
}

const orNull = (entry: TSchema) => Type.Union([Type.Null(), entry]);
const changes = Object.entries(catalogueEntries).map(([list, entry]) =>
  Type.Object({ list: Type.Literal(list), old: orNull(entry), new: orNull(entry) }),
);

/** A page of the change feed. */
const Changes = Type.Object({
  success,
  data: Type.Array(Type.Union([Type.Object({ list: Type.Literal("prices") }), ...changes])),
  next: Type.String({ pattern: "^[!-~]{1,200}$" }),
  more: Type.Boolean(),
});

/** Readers of a server's good responses. They drop members that the interface does not have. */
export function catalogueReaders(vendor: string, log: Log) {
  const reader = <Schema extends TSchema>(schema: Schema) => {
    const parse = responseParser(vendor, schema, log);
    const copy = declaredCopier(schema);
    return (body: unknown) => {
      const response = parse(body);
      return response === undefined ? undefined : (copy(response) as Static<Schema>);
    };
  };
  const billers = reader(Type.Object({ success, billers: Type.Array(Biller) }));
  const bundles = reader(Type.Object({ success, data: Type.Object({ data: Type.Array(Bundle) }) }));
  const corporateBundles = reader(Type.Object({ success, data: Type.Array(CorporateBundle) }));
  const plans = reader(Type.Object({ success, plans: Type.Array(Plan) }));
  const addOns = reader(Type.Object({ success, data: Type.Array(AddOn) }));
  const page = responseParser(vendor, Changes, log);
  return {
    billers: (body: unknown) => billers(body)?.billers,
    bundles: (body: unknown) => bundles(body)?.data.data,
    corporateBundles: (body: unknown) => corporateBundles(body)?.data,
    plans: (body: unknown) => plans(body)?.plans,
    addOns: (body: unknown) => addOns(body)?.data,
    changes: (body: unknown) => page(body) as { data: ListedChange[]; next: string; more: boolean } | undefined,
  };
}
