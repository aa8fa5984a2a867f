import type { SourceStandIn } from "../source-stand-in.ts";

const base = "/api/baxipay";

/** Baxi, after its documentation: each bouquet at its price for one month. */
export const baxiStandIn: SourceStandIn = {
  base,
  answer({ method, path, headers, body }, lists) {
    const { service_type, product_code } = body;
    const bouquets = {
      [`${base}/services/multichoice/list`]: lists["cable-products"],
      [`${base}/services/multichoice/addons`]: lists["cable-add-ons"]
        .filter((addOn) => addOn.product_code === product_code)
        .map(({ add_on_product_code: code, ...addOn }) => ({ code, ...addOn })),
    }[path];
    if (method !== "POST" || !bouquets) return failed(404, "Not found");
    if (!headers["x-api-key"]) return failed(401, "Unauthorized");
    const data = bouquets
      .filter(({ type }) => type === service_type)
      .map(({ code, name, price }) => ({
        availablePricingOptions: [{ monthsPaidFor: 1, price: Number(price), invoicePeriod: 1 }],
        code,
        name,
        description: " ",
      }));
    return { status: 200, body: { status: "success", message: "Successful", code: 200, data } };
  },
};

const failed = (status: number, message: string) => ({ status, body: { status: "error", message, code: status } });
