# Run huge and BDgraph on tables from files.
#
# Called as `Rscript peers.R FOLDER [no-gc]`. FOLDER/jobs.csv has one row per job; each job leaves
# FOLDER/<job>-adjacency.csv and FOLDER/<job>-ranking.csv, and a row in FOLDER/done.csv.
# FOLDER/versions.csv says what ran. The benchmark module `adapter` writes and reads all of these.

arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
if ("no-gc" %in% arguments) {
  # huge collects garbage several times in every fit, which takes most of its time and changes no
  # number. Without it the graphs come sooner, but the seconds are not what a user would wait.
  unlockBinding("gc", baseenv())
  assign("gc", function(...) invisible(NULL), baseenv())
}
here <- function(...) file.path(folder, paste0(...))
jobs <- read.csv(here("jobs.csv"), colClasses = c(job = "character", not_continuous = "character"))

packages <- unique(jobs$package)
for (name in packages) {
  if (!suppressPackageStartupMessages(requireNamespace(name, quietly = TRUE))) {
    stop("The R package '", name, "' is missing. Install it with `make peers`.", call. = FALSE)
  }
}
versions <- c(R = paste(R.version$major, R.version$minor, sep = "."),
              sapply(packages, function(name) as.character(packageVersion(name))))
write.csv(data.frame(name = names(versions), version = versions), here("versions.csv"),
          row.names = FALSE)

# Mean absolute strength along the path: early and strong edges lead.
mean_strength <- function(est) {
  total <- 0
  for (k in seq_along(est$lambda)) {
    if (est$method == "glasso") {
      strength <- abs(cov2cor(as.matrix(est$icov[[k]])))
    } else {
      strength <- abs(as.matrix(est$beta[[k]]))
    }
    total <- total + (strength + t(strength)) / 2
  }
  total / length(est$lambda)
}

run_huge <- function(x, job) {
  if (job$scores != "none") x <- huge::huge.npn(x, npn.func = job$scores, verbose = FALSE)
  x <- scale(x)  # glasso and mb do it themselves; RIC takes the columns as they are
  est <- huge::huge(x, method = job$estimator, nlambda = job$n_penalties,
                    lambda.min.ratio = job$penalty_ratio, verbose = FALSE)
  chosen <- huge::huge.select(est, criterion = job$selection, ebic.gamma = job$gamma,
                              stars.thresh = job$threshold, rep.num = job$repetitions,
                              verbose = FALSE)
  list(adjacency = as.matrix(chosen$refit) != 0, ranking = mean_strength(est),
       penalty = chosen$opt.lambda)
}

run_bdgraph <- function(x, job) {
  # Which columns are known by their order only; where the job does not say, BDgraph decides.
  flags <- as.numeric(strsplit(job$not_continuous, " ")[[1]])
  fit <- BDgraph::bdgraph(x, method = job$estimator, iter = job$iterations,
                          not.cont = if (length(flags)) flags else NULL, cores = 1,
                          verbose = FALSE)
  ranking <- as.matrix(BDgraph::plinks(fit, round = 10))
  ranking <- ranking + t(ranking)
  list(adjacency = ranking > 0.5, ranking = ranking, penalty = NA)
}

for (k in seq_len(nrow(jobs))) {
  job <- jobs[k, ]
  x <- unname(as.matrix(read.csv(here(job$table), header = FALSE)))
  set.seed(job$seed)
  run <- switch(job$package, huge = run_huge, BDgraph = run_bdgraph)
  start <- proc.time()[["elapsed"]]
  result <- run(x, job)
  seconds <- proc.time()[["elapsed"]] - start
  adjacency <- result$adjacency | t(result$adjacency)  # huge's columns may disagree in the last bits
  diag(adjacency) <- FALSE
  diag(result$ranking) <- 0
  write.table(adjacency + 0, here(job$job, "-adjacency.csv"), sep = ",", row.names = FALSE,
              col.names = FALSE)
  write.table(format(result$ranking, digits = 17), here(job$job, "-ranking.csv"), sep = ",",
              row.names = FALSE, col.names = FALSE, quote = FALSE)
  write.table(data.frame(job$job, seconds, result$penalty), here("done.csv"), sep = ",",
              row.names = FALSE, col.names = FALSE, quote = FALSE, append = TRUE)
}
