// TrajectoryFile with the HDF5 library.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>

#include "hdf5_disk.hpp"
#include "hdf5_layout.hpp"

namespace holonom {

bool hdf5_available() { return true; }

namespace detail {

using namespace hdf5;

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto commit_interval = std::chrono::seconds(1);
// Of one row of chunks, all tables together: short runs make small files, long ones few chunks.
constexpr std::size_t least_chunk = std::size_t{32} << 10, best_chunk = std::size_t{512} << 10;
// Of a chunk of one table: so that one coordinate of a huge system can be read without all others.
constexpr std::size_t largest_chunk = std::size_t{1} << 20;

struct Dataset {
  std::string path;
  Handle type, id;
  std::size_t columns = 1, cell = 0;
  bool matrix = false;
  std::vector<std::byte> buffer;

  std::size_t row_bytes() const { return columns * cell; }
  // Chunks side by side, for a wide table.
  std::size_t chunks_across() const {
    return std::max<std::size_t>(1, (row_bytes() + largest_chunk - 1) / largest_chunk);
  }
  std::size_t chunk_columns() const {
    return std::max<std::size_t>(1, (columns + chunks_across() - 1) / chunks_across());
  }
};

}  // namespace

struct TrajectoryFile::Impl {
  std::string path;
  DiskFile file;  // before the datasets, which must be closed first
  std::vector<Dataset> sets;
  int index[tables], exact_index[tables];  // into sets, or −1
  std::size_t chunk_rows = 1, buffer_rows = 1;
  std::size_t written = 0, buffered = 0;  // rows in the file, rows in memory
  std::size_t committed_rows = 0;         // rows that readers see
  Clock::time_point committed = Clock::now();
  bool failed = false;

  // ---- tables
  void declare(int* where, std::string name, Handle type, std::size_t columns, bool matrix) {
    *where = static_cast<int>(sets.size());
    Dataset& d = sets.emplace_back();
    d.path = std::move(name);
    d.cell = H5Tget_size(type);
    d.type = std::move(type);
    d.columns = columns;
    d.matrix = matrix;
  }

  static Handle native(hid_t type) { return {H5Tcopy(type), H5Tclose, "copy a type"}; }

  void declare_tables(const Labels& labels, bool sampled, Cell cell, std::size_t text_length) {
    std::fill(std::begin(index), std::end(index), -1);
    std::fill(std::begin(exact_index), std::end(exact_index), -1);
    declare(&index[step], "/step", native(H5T_NATIVE_INT64), 1, false);
    if (sampled) declare(&index[interpolated], "/interpolated", native(H5T_NATIVE_UINT8), 1, false);
    const std::size_t n = labels.coordinates.size(), m = labels.constraints.size(), k = labels.invariants.size(),
                      o = labels.observables.size();
    const struct {
      const char* name;
      std::size_t columns;
      Table table;
      bool matrix;
    } numbers[] = {{"t", 1, t, false},
                   {"q", n, q, true},
                   {"p", labels.momenta(), p, true},
                   {"lambda", m, lambda, true},
                   {"energy", 1, energy, false},
                   {"position_residual", 1, position_residual, false},
                   {"hidden_residual", 1, hidden_residual, false},
                   {"invariants", k, invariants, true},
                   {"observed", o, observed, true}};
    for (const auto& x : numbers) {
      declare(&index[x.table], std::string("/") + x.name,
              native(cell == Cell::extended ? H5T_NATIVE_LDOUBLE : H5T_NATIVE_DOUBLE), x.columns, x.matrix);
      if (cell == Cell::text)
        declare(&exact_index[x.table], std::string("/exact/") + x.name, text_type(text_length), x.columns, x.matrix);
    }
  }

  std::size_t row_bytes() const {
    std::size_t sum = 0;
    for (const Dataset& d : sets) sum += d.row_bytes();
    return std::max<std::size_t>(1, sum);
  }
  void choose_chunks(long expected_rows) {
    const auto rows = [&](std::size_t bytes) { return std::max<std::size_t>(1, bytes / row_bytes()); };
    const auto expected = expected_rows > 0 ? static_cast<std::size_t>(expected_rows) : rows(best_chunk);
    chunk_rows = std::clamp(expected, rows(least_chunk), rows(best_chunk));
  }
  void allocate_buffers() {
    buffer_rows = std::max<std::size_t>(1, best_chunk / row_bytes() / chunk_rows) * chunk_rows;
    for (Dataset& d : sets) d.buffer.resize(buffer_rows * d.row_bytes());
  }

  static Handle dataset_access() {
    // Without a cache of chunks, rows go to their place at once.
    Handle access = plist(H5P_DATASET_ACCESS);
    H5Pset_chunk_cache(access, 0, 0, 1.0);
    return access;
  }
  void create_datasets() {
    const Handle links = plist(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    for (Dataset& d : sets) {
      // A table without columns is there all the same; only an unlimited extent may be zero.
      std::vector<hsize_t> now{0}, most{H5S_UNLIMITED}, chunk{chunk_rows};
      if (d.matrix) {
        now.push_back(d.columns);
        most.push_back(d.columns > 0 ? d.columns : H5S_UNLIMITED);
        chunk.push_back(d.chunk_columns());
      }
      const Handle create = plist(H5P_DATASET_CREATE);
      H5Pset_chunk(create, static_cast<int>(chunk.size()), chunk.data());
      H5Pset_obj_track_times(create, false);
      // Should a run be killed within a commit, rows of it may be missing: they then read as NaN, never as zero.
      const double nan = std::numeric_limits<double>::quiet_NaN();
      const int minus_one = -1;
      if (H5Tget_class(d.type) == H5T_FLOAT) H5Pset_fill_value(create, H5T_NATIVE_DOUBLE, &nan);
      if (d.path == "/step") H5Pset_fill_value(create, H5T_NATIVE_INT, &minus_one);
      d.id = Handle(H5Dcreate2(file, d.path.c_str(), d.type, space(now, most), links, create, dataset_access()),
                    H5Dclose, "make a dataset");
    }
  }
  void open_datasets() {
    std::size_t rows = std::numeric_limits<std::size_t>::max();
    for (Dataset& d : sets) {
      d.id = Handle(H5Dopen2(file, d.path.c_str(), dataset_access()), H5Dclose, "find a dataset");
      const Handle extent(H5Dget_space(d.id), H5Sclose, "read an extent"),
          create(H5Dget_create_plist(d.id), H5Pclose, "read properties");
      hsize_t size[2] = {0, 1}, chunk[2] = {1, 1};
      const bool matrix = H5Sget_simple_extent_ndims(extent) == 2;
      if (matrix != d.matrix) throw Failed("find the expected shape of " + d.path);
      H5Sget_simple_extent_dims(extent, size, nullptr);
      if (size[1] != d.columns) throw Failed("find the expected shape of " + d.path);
      H5Pget_chunk(create, 2, chunk);
      chunk_rows = chunk[0];
      rows = std::min(rows, static_cast<std::size_t>(size[0]));
    }
    // The tail of a commit that was cut short.
    while (rows > 0 && !whole(rows - 1)) rows = (rows - 1) / chunk_rows * chunk_rows;
    keep(rows);
  }

  Dataset& set(Table table) { return sets[static_cast<std::size_t>(index[table])]; }

  // ---- reading back
  void read_row(Dataset& d, std::size_t row, hid_t as, void* out) const {
    const Handle from(H5Dget_space(d.id), H5Sclose, "read an extent"), to = space({d.columns});
    const hsize_t start[] = {row, 0}, count[] = {1, d.columns};
    check(H5Sselect_hyperslab(from, H5S_SELECT_SET, start, nullptr, count, nullptr), "select a row");
    check(H5Dread(d.id, as, to, from, H5P_DEFAULT, out), "read a row");
  }
  // Whether the chunks with this row reached the file, in all tables.
  bool whole(std::size_t row) const {
    for (const Dataset& d : sets) {
      if (d.columns == 0) continue;
      for (std::size_t c = 0; c < d.columns; c += d.chunk_columns()) {
        const hsize_t corner[] = {row / chunk_rows * chunk_rows, c};
        hsize_t bytes = 0;
        if (H5Dget_chunk_storage_size(d.id, corner, &bytes) < 0 || bytes == 0) return false;
      }
    }
    return true;
  }
  double time(std::size_t row) {
    double x = 0;
    read_row(set(t), row, H5T_NATIVE_DOUBLE, &x);
    return x;
  }

  // ---- writing
  void set_rows(std::size_t rows) {
    for (Dataset& d : sets) {
      const hsize_t size[] = {rows, d.columns};
      check(H5Dset_extent(d.id, size), "extend a dataset");
    }
  }
  void keep(std::size_t rows) {
    set_rows(rows);
    written = rows;
    commit();
  }

  void reserve() const {
    const auto blocks = [&](std::size_t rows) { return (rows + chunk_rows - 1) / chunk_rows; };
    const std::size_t fresh = blocks(written + buffered) - blocks(written);
    if (fresh == 0) return;
    std::size_t bytes = 0;
    for (const Dataset& d : sets) bytes += fresh * chunk_rows * d.chunk_columns() * d.chunks_across() * d.cell;
    file.reserve(bytes);
  }

  void write_rows() {
    if (buffered == 0) return;
    reserve();
    set_rows(written + buffered);
    for (const Dataset& d : sets) {
      if (d.columns == 0) continue;
      const Handle to(H5Dget_space(d.id), H5Sclose, "read an extent");
      const hsize_t start[] = {written, 0}, count[] = {buffered, d.columns};
      check(H5Sselect_hyperslab(to, H5S_SELECT_SET, start, nullptr, count, nullptr), "select rows");
      // Of the shape of the selection: otherwise the library goes from number to number.
      const Handle from = d.matrix ? space({buffered, d.columns}) : space({buffered});
      check(H5Dwrite(d.id, d.type, from, to, H5P_DEFAULT, d.buffer.data()), "write rows");
    }
    written += buffered;
    buffered = 0;
  }

  void commit() {
    file.commit();
    committed = Clock::now();
    committed_rows = written;
  }

  // Runs what writes. If that fails, the file stays as it was at the last commit.
  template <class F>
  void guarded(F&& f) {
    const Quiet quiet;
    std::string why;
    try {
      f();
      return;
    } catch (const NoRoom& e) {
      why = e.what();
      try {
        commit();
      } catch (const Failed&) {
        file.abandon();
      }
    } catch (const Failed& e) {
      why = std::string("could not ") + e.what();
      file.abandon();
    }
    failed = true;
    buffered = 0;
    throw OutputError(path + ": writing failed (" + why + "); " + std::to_string(committed_rows) + " rows are kept.");
  }
};

TrajectoryFile::TrajectoryFile(const std::string& path, const Labels& labels, const Provenance& about,
                               const std::string& precision, Cell cell, std::size_t text_length, OpenMode mode)
    : impl_(std::make_unique<Impl>()) {
  const Quiet quiet;
  try {
    impl_->path = path;
    impl_->file.open(path, mode);
    impl_->declare_tables(labels, !about.sample.empty(), cell, text_length);
    if (mode == OpenMode::append) {
      require_same_run(impl_->file, path, labels, about, precision);
      impl_->open_datasets();
      t0_ = read_attribute(impl_->file, "t0_text");
    } else {
      impl_->choose_chunks(about.expected_rows);
      impl_->create_datasets();
      describe(impl_->file, labels, about, precision);
      add_h5md(impl_->file, labels, about);
      impl_->commit();
    }
    impl_->allocate_buffers();
  } catch (const InputError&) {
    impl_.reset();
    throw;
  } catch (const Failed& e) {
    impl_->file.abandon();
    impl_.reset();
    if (mode != OpenMode::append) std::filesystem::remove(path);  // a header without an end
    throw InputError(path +
                     (mode == OpenMode::append ? ": the file cannot be continued (could not "
                                               : ": the file cannot be written (could not ") +
                     e.what() + ")");
  }
  move_cursors();
}

TrajectoryFile::~TrajectoryFile() {
  try {
    flush();
  } catch (const OutputError&) {
    // The destructor cannot tell; whoever wants to know calls flush first.
  }
  const Quiet quiet;
  impl_.reset();
}

void TrajectoryFile::move_cursors() {
  const auto at = [&](int i) -> std::byte* {
    if (i < 0) return nullptr;
    Dataset& d = impl_->sets[static_cast<std::size_t>(i)];
    return d.buffer.data() + impl_->buffered * d.row_bytes();
  };
  for (int table = 0; table < tables; ++table) {
    cursor_[table] = at(impl_->index[table]);
    exact_cursor_[table] = at(impl_->exact_index[table]);
  }
}

void TrajectoryFile::next_row() {
  Impl& f = *impl_;
  if (f.failed) throw OutputError(f.path + ": writing failed before; no row is added.");
  ++f.buffered;
  // Blocks end where chunks end, so that no chunk is written twice.
  const bool full = f.buffered == f.buffer_rows - f.written % f.chunk_rows;
  // The first row at once: it makes what a killed run leaves readable from the start.
  const bool late = f.written == 0 || Clock::now() - f.committed > commit_interval;
  if (late)
    flush();
  else if (full)
    f.guarded([&] { f.write_rows(); });
  move_cursors();
}

void TrajectoryFile::flush() {
  Impl& f = *impl_;
  if (f.failed) return;
  f.guarded([&] {
    f.write_rows();
    f.commit();
  });
  move_cursors();
}

long TrajectoryFile::rows() const { return static_cast<long>(impl_->written + impl_->buffered); }

void TrajectoryFile::continue_from(double time, bool backwards) {
  Impl& f = *impl_;
  f.guarded([&] {
    const double slack = 16 * std::numeric_limits<double>::epsilon() * std::abs(time);
    std::size_t low = 0, high = f.written;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      const double behind = backwards ? f.time(middle) - time : time - f.time(middle);
      if (behind > slack)
        low = middle + 1;
      else
        high = middle;
    }
    f.keep(low);
  });
}

void TrajectoryFile::sync() {
  flush();
  impl_->guarded([&] { impl_->file.sync(); });
}

void TrajectoryFile::keep(long rows) {
  Impl& f = *impl_;
  if (const auto there = static_cast<long>(f.written); rows > there)
    throw InputError(f.path + ": the file has lost rows since the run was stopped (" + std::to_string(rows) +
                     " were written, " + std::to_string(there) + " are left): it cannot be continued");
  f.guarded([&] { f.keep(static_cast<std::size_t>(rows)); });
  move_cursors();
}

void TrajectoryFile::set_t0(const std::string& text, double value) {
  t0_ = text;
  impl_->guarded([&] {
    const Handle root(H5Gopen2(impl_->file, "/", H5P_DEFAULT), H5Gclose, "open the root");
    write_attribute(root, "t0", value);
    write_attribute(root, "t0_text", text);
  });
}

}  // namespace detail
}  // namespace holonom
