// Shows the API's description with Swagger UI, which stands beside this file: nothing is loaded from elsewhere.
window.addEventListener("DOMContentLoaded", () => {
  SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#swagger",
    deepLinking: true,
    validatorUrl: null,
    displayRequestDuration: true,
    syntaxHighlight: { activated: false },
  });
});
