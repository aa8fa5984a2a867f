import { feature } from "../../commands/feature.ts";
import { metricsSettings } from "./metrics-settings.ts";

export const metrics = feature({
  name: "metrics",
  about: "Figures of the service for Prometheus, at an address of their own.",
  settings: metricsSettings,
  open: async (core, opened) => (await import("./open-metrics.ts")).openMetrics(core, opened),
  supervise: async (...given) => (await import("./open-metrics.ts")).superviseMetrics(...given),
});
