import type { Lists, SourceStandIn } from "../source-stand-in.ts";

/** Our providers by the names of its services. */
const services = {
  data: { mtn: "MTNDATA", airtel: "AIRTELDATA", glo: "GLODATA", "9mobile": "9MOBILEDATA" },
  tv: { gotv: "gotv", dstv: "dstv", startimes: "startimes" },
};

const variations = {
  data: (lists: Lists) =>
    lists["data-bundles"].map(({ type, description, price }, at) => ({
      type,
      price,
      variation_id: 1001 + at,
      data_plan: description,
    })),
  tv: (lists: Lists) =>
    lists["cable-products"].map(({ type, name, price }, at) => ({
      type,
      price,
      variation_id: 2001 + at,
      package_bouquet: name,
    })),
};

/** eBills, after its documentation: codes are numbers, and the reseller's price is 1 % lower here. */
export const ebillsStandIn: SourceStandIn = {
  base: "/wp-json",
  answer({ method, path, query }, lists) {
    const kind = method === "GET" ? /^\/wp-json\/api\/v2\/variations\/(data|tv)$/.exec(path)?.[1] : undefined;
    if (kind !== "data" && kind !== "tv")
      return { status: 404, body: { code: "rest_no_route", message: "No route was found", data: { status: 404 } } };
    const service_id = query.get("service_id") ?? "";
    const wanted = new Map(Object.entries(services[kind])).get(service_id);
    const data = variations[kind](lists)
      .filter(({ type }) => type === wanted)
      .map(({ type: _, ...variation }) => ({
        service_id,
        ...variation,
        reseller_price: (Number(variation.price) * 0.99).toFixed(2),
        availability: "Available",
      }));
    return { status: 200, body: { code: "success", data } };
  },
};
