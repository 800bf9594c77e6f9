"""The only HTTP in the product: origins, credentials, redirects, retries, limits. Synchronous."""
