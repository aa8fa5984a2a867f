import Type, { type Static, type TObject } from "typebox";
import type { Log } from "../../../runtime/log.ts";
import { responseParser } from "../../parse-response.ts";

const text = Type.String();
const code = Type.String({ pattern: "^[!-~]{1,64}$" });
const success = Type.Literal(true);

const Biller = Type.Object({ type: code, id: Type.Integer(), name: text, narration: text, image: text });

const Bundle = Type.Object({
  type: code,
  code,
  description: text,
  amount: text,
  price: text,
  value: text,
  duration: text,
});

const CorporateBundle = Type.Object({ description: text, code });

const Plan = Type.Object({
  id: Type.Integer(),
  type: code,
  code,
  name: text,
  description: text,
  price: text,
  amount: text,
});

const AddOn = Type.Object({ add_on_product_code: code, product_code: code, name: text, price: text, type: code });

const shapes = {
  "data-providers": Biller,
  "data-bundles": Bundle,
  "corporate-bundles": CorporateBundle,
  "cable-providers": Biller,
  "cable-products": Plan,
  "cable-add-ons": AddOn,
};

export type PeerListName = keyof typeof shapes;
type Entry = Readonly<Record<string, string | number>>;

/** An entry that was changed: `old` is null if it is new, `new` if it is gone. */
export interface ListedChange {
  list: PeerListName | "prices";
  old: Entry | null;
  new: Entry | null;
}

const changeIn = <Shape extends TObject>(list: PeerListName, shape: Shape) =>
  Type.Object({
    list: Type.Literal(list),
    old: Type.Union([Type.Null(), shape]),
    new: Type.Union([Type.Null(), shape]),
  });

/** A page of the change feed. A change of an account's own prices comes without an entry. */
const Changes = Type.Object({
  success,
  data: Type.Array(
    Type.Union([
      Type.Object({ list: Type.Literal("prices") }),
      ...Object.entries(shapes).map(([list, shape]) => changeIn(list as PeerListName, shape)),
    ]),
  ),
  next: Type.String({ pattern: "^[!-~]{1,200}$" }),
  more: Type.Boolean(),
});

/** Readers of a server's good answers: the entries, without members that the interface does not have. */
export function catalogueReaders(vendor: string, log: Log) {
  const billers = responseParser(vendor, Type.Object({ success, billers: Type.Array(Biller) }), log);
  const bundles = responseParser(
    vendor,
    Type.Object({ success, data: Type.Object({ data: Type.Array(Bundle) }) }),
    log,
  );
  const corporateBundles = responseParser(vendor, Type.Object({ success, data: Type.Array(CorporateBundle) }), log);
  const plans = responseParser(vendor, Type.Object({ success, plans: Type.Array(Plan) }), log);
  const addOns = responseParser(vendor, Type.Object({ success, data: Type.Array(AddOn) }), log);
  const changes = responseParser(vendor, Changes, log);
  return {
    billers: (body: unknown) => only(Biller, billers(body)?.billers),
    bundles: (body: unknown) => only(Bundle, bundles(body)?.data.data),
    corporateBundles: (body: unknown) => only(CorporateBundle, corporateBundles(body)?.data),
    plans: (body: unknown) => only(Plan, plans(body)?.plans),
    addOns: (body: unknown) => only(AddOn, addOns(body)?.data),
    changes(body: unknown) {
      const page = changes(body);
      return (
        page && {
          changes: (page.data as Parameters<typeof changeOf>[0][]).map(changeOf),
          next: page.next,
          more: page.more,
        }
      );
    },
  };
}

function changeOf(change: { list: string; old?: Entry | null; new?: Entry | null }): ListedChange {
  const list = change.list as ListedChange["list"];
  if (list === "prices") return { list, old: null, new: null };
  const [old = null, now = null] = [change.old, change.new].map(
    (entry) => entry && (only<TObject>(shapes[list], [entry])![0]! as Entry),
  );
  return { list, old, new: now };
}

function only<Shape extends TObject>({ properties }: Shape, entries: readonly Static<Shape>[] | undefined) {
  const names = Object.keys(properties) as (keyof Static<Shape>)[];
  return entries?.map((entry) => {
    const kept: Partial<Static<Shape>> = {};
    for (const name of names) kept[name] = entry[name];
    return kept as Static<Shape>;
  });
}
