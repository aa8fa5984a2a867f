import { feature } from "../../commands/feature.ts";

export const vendorTest = feature({
  name: "vendor-test",
  about: "Try a vendor with its own test number, or a person who agreed.",
  commands: [{ name: "upstreams", load: async () => [(await import("./test-upstream-command.ts")).testUpstream] }],
  records: async () => ({ vendor: { beside: ["upstreams.test"] } }),
  auditEvents: async () => Object.values((await import("./vendor-test-trail.ts")).vendorTestTrail),
});
