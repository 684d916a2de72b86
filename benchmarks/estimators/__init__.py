"""How long the estimators take, beside R packages in the same run."""
