// SPDX-License-Identifier: BSD-3-Clause
#include "document_urdf.hpp"

#include "quoin/util/at_fork.hpp"
#include "quoin/util/to_text.hpp"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <mutex>
#include <stdexcept>

namespace quoin::rigid_body {
namespace {

ForkSafeMutex one_at_a_time;

/// Captures what urdfdom would print. console_bridge has one handler for the whole process, hence the lock.
class CaughtComplaints final : public console_bridge::OutputHandler {
 public:
  CaughtComplaints() : lock_(one_at_a_time), previous_(console_bridge::getOutputHandler()) {
    console_bridge::useOutputHandler(this);
  }
  ~CaughtComplaints() override { console_bridge::useOutputHandler(previous_); }
  CaughtComplaints(const CaughtComplaints&) = delete;
  CaughtComplaints& operator=(const CaughtComplaints&) = delete;

  void log(const std::string& text, console_bridge::LogLevel level, const char*, int) override {
    if (level >= console_bridge::CONSOLE_BRIDGE_LOG_ERROR) text_ += (text_.empty() ? "" : "; ") + text;
  }
  const std::string& text() const { return text_; }

 private:
  std::lock_guard<ForkSafeMutex> lock_;
  console_bridge::OutputHandler* previous_;
  std::string text_;
};

urdf::ModelInterfaceSharedPtr parse_model(const std::string& text, const std::string& file) {
  CaughtComplaints complaints;
  urdf::ModelInterfaceSharedPtr model;
  try {
    model = urdf::parseURDF(text);
  } catch (const std::exception& error) {
    throw std::runtime_error(file + ": urdfdom: " + error.what());
  }
  if (!model || !complaints.text().empty())
    throw std::runtime_error(file +
                             ": urdfdom: " + (complaints.text().empty() ? "it is no valid robot" : complaints.text()));
  return model;
}

}  // namespace

UrdfDocument parse_document(const std::string& text, const std::string& file) {
  if (text.size() > longest_urdf)
    throw std::runtime_error(file + ": " + to_text(text.size()) + " bytes, and at most " + to_text(longest_urdf) +
                             " are read");
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos)
    throw std::runtime_error(file + ": not XML: byte " + to_text(zero) + " is zero");
  check_nesting(text, file);
  TiXmlDocument document;
  document.Parse(text.c_str(), nullptr, TIXML_ENCODING_UTF8);
  if (document.Error())
    throw std::runtime_error(file + ":" + to_text(document.ErrorRow()) + ": not XML: " + document.ErrorDesc());
  UrdfElements elements = check_elements(document, file);
  return {parse_model(text, file), std::move(elements)};
}

Eigen::Vector3d vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Eigen::Isometry3d pose_of(const urdf::Pose& pose) {
  const Eigen::Quaterniond q(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z);
  Eigen::Isometry3d placement = Eigen::Isometry3d::Identity();
  placement.linear() = q.normalized().toRotationMatrix();
  placement.translation() = vector_of(pose.position);
  return placement;
}

}  // namespace quoin::rigid_body
