# Results of the R package huge on the tables of a folder; called by make_huge_oracle.py.
#
# For each table-<k>.csv: huge's glasso path, its supports, eBIC, StARS at two thresholds with the
# rows of its subsamples, and neighbourhood selection. For small.csv: nonparanormal scores, skeptic
# correlation and RIC (with no more rows than rotations, so that nothing is random).

folder <- commandArgs(trailingOnly = TRUE)[1]
here <- function(...) file.path(folder, paste0(...))
suppressPackageStartupMessages(library(huge))
# huge collects garbage many times in every fit, which takes most of its time and changes no number.
unlockBinding("gc", baseenv())
assign("gc", function(...) invisible(NULL), baseenv())
read <- function(name) unname(as.matrix(read.csv(here(name), header = FALSE)))
save <- function(x, name) {
  write.table(format(as.matrix(x), digits = 17, scientific = TRUE), here(name), sep = ",",
              row.names = FALSE, col.names = FALSE, quote = FALSE)
}
upper <- function(m) { m <- as.matrix(m); (t(m)[lower.tri(m)] != 0) | (m[lower.tri(m)] != 0) }

for (file in list.files(folder, "^table-.*csv$")) {
  x <- read(file)
  stem <- sub("table-", "", sub(".csv", "", file, fixed = TRUE))
  n <- nrow(x)
  est <- huge(x, method = "glasso", verbose = FALSE)
  save(est$lambda, paste0(stem, "-lambda.out"))
  save(sapply(est$path, upper) + 0, paste0(stem, "-glasso.out"))
  save(est$loglik, paste0(stem, "-loglik.out"))
  save(est$icov[[length(est$icov)]], paste0(stem, "-icov.out"))
  ebic <- huge.select(est, criterion = "ebic", verbose = FALSE)
  mb <- huge(x, method = "mb", verbose = FALSE)
  save(sapply(mb$path, upper) + 0, paste0(stem, "-mb.out"))
  set.seed(1)
  stars <- huge.select(est, criterion = "stars", stars.thresh = 0.1, verbose = FALSE)
  # The last line of huge's rule, for another threshold on the same subsamples.
  stricter <- max(which.max(stars$variability >= 0.05)[1] - 1, 1)
  chosen <- c(ebic$opt.index, stricter, stars$opt.index)
  save(stars$variability, paste0(stem, "-variability.out"))
  save(chosen, paste0(stem, "-chosen.out"))
  set.seed(1)  # the rows that huge.select drew just now: it calls `sample` for nothing else
  size <- floor(n * if (n > 144) 10 * sqrt(n) / n else 0.8)
  rows <- replicate(20, seq_len(n) %in% sample(c(1:n), size, replace = FALSE))
  save(rows + 0, paste0(stem, "-rows.out"))
}

x <- read("small.csv")
save(huge.npn(x, npn.func = "shrinkage", verbose = FALSE), "small-shrinkage.out")
save(huge.npn(x, npn.func = "truncation", verbose = FALSE), "small-truncation.out")
save(huge.npn(x, npn.func = "skeptic", verbose = FALSE), "small-skeptic.out")
est <- huge(scale(x), method = "glasso", verbose = FALSE)
ric <- huge.select(est, criterion = "ric", rep.num = nrow(x), verbose = FALSE)
save(ric$opt.lambda, "small-ric.out")
writeLines(c(R.version.string, as.character(packageVersion("huge"))), here("versions.txt"))
