import { readFileSync } from "node:fs";

const { bundles, corporate } = JSON.parse(readFileSync(process.env.CATALOGUE, "utf8"));

/** The responses of Duba's look-ups, made from the entries on each request, as a user would write such a server. */
export const bundlesOf = (provider) => ({
  success: true,
  data: {
    status: 1,
    error: false,
    data: bundles.filter(({ type }) => type === provider),
    date: new Date().toISOString(),
    message: "Data lookup successful",
  },
});

export const corporateBundles = () => ({
  success: true,
  status: "success",
  message: "Corporate data lookup successful",
  data: corporate,
});

export const address = { port: Number(process.env.PORT), host: "127.0.0.1" };
