# What the R packages say of the Sachs table: the numbers of docs/coming-from.md.
#
#   python -c "from spinney.datasets import load_sachs; load_sachs().X.to_csv('sachs.csv', index=False)"
#   Rscript docs/peers/peers.R sachs.csv docs/peers
#
# Needs huge, BDgraph and qgraph (Debian: r-cran-huge, r-cran-bdgraph, r-cran-qgraph). bootnet is not
# in Debian; its default, "EBICglasso", hands Pearson's correlations to qgraph::EBICglasso, which is
# called here by itself.
arguments <- commandArgs(trailingOnly = TRUE)
x <- read.csv(arguments[1])
here <- function(name) file.path(arguments[2], name)
suppressPackageStartupMessages({library(huge); library(BDgraph); library(qgraph)})

pairs_of <- function(matrices) {
  at <- which(upper.tri(matrices[[1]]), arr.ind = TRUE)
  at <- at[order(at[, 1], at[, 2]), ]
  columns <- lapply(matrices, function(m) format(as.matrix(m)[at], digits = 12, trim = TRUE))
  data.frame(source = names(x)[at[, 1]], target = names(x)[at[, 2]], columns)
}
partial <- function(precision) { r <- -cov2cor(as.matrix(precision)); diag(r) <- 0; r }
keep <- function(frame, name) write.csv(frame, here(name), row.names = FALSE, quote = FALSE)

# huge: nonparanormal scores, ten penalties, extended BIC.
z <- huge.npn(as.matrix(x), verbose = FALSE)
path <- huge(z, method = "glasso", nlambda = 10, verbose = FALSE)
best <- huge.select(path, criterion = "ebic", ebic.gamma = 0.5, verbose = FALSE)
keep(data.frame(penalty = format(path$lambda, digits = 15), edges = path$df,
                chosen = path$lambda == best$opt.lambda), "huge-path.csv")
keep(pairs_of(list(precision = best$opt.icov, partial_correlation = partial(best$opt.icov))),
     "huge-pairs.csv")

# bootnet's default.
network <- EBICglasso(cor(x), n = nrow(x), gamma = 0.5, verbose = FALSE)
keep(pairs_of(list(partial_correlation = network)), "bootnet-pairs.csv")

# BDgraph: Gaussian copula (the rows are far from normal), 10,000 iterations.
set.seed(1)
fit <- bdgraph(x, method = "gcgm", iter = 10000, cores = 1, verbose = FALSE)
probability <- plinks(fit, round = 10)
keep(pairs_of(list(probability = probability)), "bdgraph-pairs.csv")

versions <- c(R = paste(R.version$major, R.version$minor, sep = "."),
              sapply(c("huge", "BDgraph", "qgraph", "glasso"),
                     function(name) as.character(packageVersion(name))))
keep(data.frame(name = c(names(versions), "date"), value = c(versions, format(Sys.Date()))),
     "versions.csv")
