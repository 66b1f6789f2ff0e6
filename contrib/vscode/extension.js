// Starts `cwolf lsp` for C files. Everything else is the server's.
const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
  const settings = workspace.getConfiguration("cwolf");
  const server = {
    command: settings.get("path"),
    args: ["lsp", "--function-timeout", settings.get("functionTimeout")],
  };
  const options = { documentSelector: [{ scheme: "file", language: "c" }] };
  client = new LanguageClient("cwolf", "cwolf", { run: server, debug: server }, options);
  return client.start();
};

exports.deactivate = () => client && client.stop();
