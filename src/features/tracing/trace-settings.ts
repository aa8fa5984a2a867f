import { setting } from "../../declare/setting.ts";

export const traceSettings = {
  collector: setting({
    name: "OTEL_EXPORTER_OTLP_ENDPOINT",
    default: "",
    about:
      "Base URL of an OpenTelemetry collector, such as http://127.0.0.1:4318. It gets a trace of each request: " +
      "OTLP over HTTP, in JSON. Empty: no traces.",
    form: "an http:// or https:// URL",
    read: (text) => (text === "" || /^https?:\/\/[^\s?#]+$/.test(text) ? text : undefined),
  }),
};
